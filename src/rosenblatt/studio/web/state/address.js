// The state as a short text after the # of the address, and back.
//   #preset=xor&map=product&learner=perceptron,fit_intercept:no&order=shuffled&seed=3&view=lift
import {fieldOf, learnerOf} from "./catalogue.js";

export const VIEWS = [
	["plane", "Plane"],
	["weights", "Weights"],
	["lift", "3-D lift"],
	["mistakes", "Mistakes"],
	["table", "Table"],
];

// Left out of the address when they have these values.
const PLAIN = {
	...{map: "none", order: "given", seed: 0, epochs: 100, held: 0, at: 0, view: "plane"},
	...{each: "update", t: 0, show: ""},
};

function writtenValue(value) {
	if (value === true) return "yes";
	if (value === false) return "no";
	if (Array.isArray(value)) return value.join("/");
	return encodeURIComponent(String(value));
}

function readValue(field, text) {
	if (field.kind === "flag") return text !== "no";
	if (field.optional && text === "none") return null;
	if (field.kind === "choice") return text;
	return Number(text);
}

// Settings that are as usual are left out.
function writtenLearner(learner) {
	const {fields, has_weights: hasWeights} = learnerOf(learner.kind);
	const parts = [learner.kind];
	for (const {name, default: usual} of fields) {
		const value = learner[name];
		if (value !== undefined && value !== null && value !== usual)
			parts.push(`${name}:${writtenValue(value)}`);
	}
	if (hasWeights && learner.initial) parts.push(`initial:${writtenValue(learner.initial)}`);
	return parts.join(",");
}

function readLearner(text) {
	const [kind, ...settings] = text.split(",");
	const learner = {kind};
	for (const setting of settings) {
		const [name, value] = setting.split(":");
		if (value === undefined) continue;
		const field = fieldOf(kind, name);
		if (field) learner[name] = readValue(field, decodeURIComponent(value));
		else if (name === "initial") learner.initial = value.split("/").map(Number);
	}
	return learner;
}

function writtenData(data) {
	if (data.preset) return [`preset=${encodeURIComponent(data.preset)}`];
	const names = [...new Set(data.rows.map((row) => row[2]))];
	const place = new Map(names.map((name, i) => [name, i]));
	const columns = data.columns ?? ["x", "y"];
	return [
		...(columns[0] === "x" && columns[1] === "y"
			? []
			: [`columns=${columns.map(encodeURIComponent).join(",")}`]),
		`classes=${names.map(encodeURIComponent).join(",")}`,
		`rows=${data.rows.map(([x, y, label]) => `${x},${y},${place.get(label)}`).join(";")}`,
	];
}

function readData(parts) {
	if (parts.preset) return {preset: decodeURIComponent(parts.preset)};
	if (parts.rows === undefined) return null;
	const names = (parts.classes ?? "").split(",").map(decodeURIComponent);
	const rows = parts.rows
		.split(";")
		.filter(Boolean)
		.map((row) => {
			const [x, y, place] = row.split(",");
			return [Number(x), Number(y), names[Number(place)] ?? ""];
		});
	return {columns: (parts.columns ?? "x,y").split(",").map(decodeURIComponent), rows};
}

export function writeAddress(state, shown = 0, withData = true) {
	const parts = [
		...(withData ? writtenData(state.data) : []),
		...state.learners.map((learner) => `learner=${writtenLearner(learner)}`),
	];
	for (const [field, plain] of Object.entries(PLAIN)) {
		if (state[field] !== undefined && state[field] !== plain)
			parts.push(`${field}=${encodeURIComponent(state[field])}`);
	}
	if (shown) parts.push(`shown=${shown}`);
	return `#${parts.join("&")}`;
}

// Null when there is nothing to read; instead of a broken part the server's default is taken.
export function readAddress(hash) {
	const parts = {};
	const learners = [];
	for (const part of hash.replace(/^#/, "").split("&")) {
		const cut = part.indexOf("=");
		if (cut < 1) continue;
		const [name, value] = [part.slice(0, cut), part.slice(cut + 1)];
		if (name === "learner") learners.push(value);
		else parts[name] = value;
	}
	try {
		const state = {};
		const data = readData(parts);
		if (data) state.data = data;
		if (learners.length) state.learners = learners.slice(0, 4).map(readLearner);
		for (const [field, plain] of Object.entries(PLAIN)) {
			if (parts[field] === undefined) continue;
			const isNumber = typeof plain === "number";
			const value = isNumber ? Number(parts[field]) : decodeURIComponent(parts[field]);
			const isKnown = field !== "view" || VIEWS.some(([view]) => view === value);
			if (isNumber ? Number.isFinite(value) : isKnown) state[field] = value;
		}
		return Object.keys(state).length ? {state, shown: Number(parts.shown) || 0} : null;
	} catch {
		return null;
	}
}
