// The state as a short text after the # of the address, and back.
//   #preset=xor&map=product&learner=perceptron,bias:no&order=shuffled&seed=3&at=5&view=lift

export const VIEWS = [
	["plane", "Plane"],
	["weights", "Weights"],
	["lift", "3-D lift"],
	["mistakes", "Mistakes"],
	["table", "Table"],
];

export const LEARNER_FIELDS = {
	perceptron: ["eta0", "ties", "margin", "bias", "initial"],
	averaged: ["eta0", "ties", "bias", "initial"],
	voted: ["eta0", "ties", "bias", "initial"],
	mira: ["ties", "margin", "bias", "initial"],
	pa: ["variant", "C", "ties", "bias", "initial"],
	soft: ["eta0", "ties", "bias", "initial"],
	kernel: ["kernel", "degree", "gamma", "coef0", "ties"],
};

export const LEARNER_DEFAULTS = {
	eta0: 1,
	ties: "mistake",
	bias: true,
	variant: "PA-I",
	C: 1,
	margin: 0,
	kernel: "poly",
	degree: 2,
	gamma: 1,
	coef0: 1,
	initial: null,
};

// Left out of the address when they have these values. Rules and kernels are always named.
const PLAIN = {map: "none", order: "given", seed: 0, epochs: 100, at: 0, view: "plane"};
const ALWAYS = new Set(["variant", "kernel"]);

function writtenValue(value) {
	if (value === true) return "yes";
	if (value === false) return "no";
	if (Array.isArray(value)) return value.join("/");
	return encodeURIComponent(String(value));
}

function readValue(field, text) {
	if (field === "bias") return text !== "no";
	if (field === "initial") return text.split("/").map(Number);
	if (["ties", "variant", "kernel"].includes(field)) return text;
	return Number(text);
}

function writtenLearner(learner) {
	const parts = [learner.kind];
	for (const field of LEARNER_FIELDS[learner.kind] ?? []) {
		const value = learner[field];
		if (value === undefined || value === null) continue;
		if (
			ALWAYS.has(field) ||
			(learner.kind === "soft" && field === "eta0") ||
			value !== LEARNER_DEFAULTS[field]
		)
			parts.push(`${field}:${writtenValue(value)}`);
	}
	return parts.join(",");
}

function readLearner(text) {
	const [kind, ...settings] = text.split(",");
	const learner = {kind};
	for (const setting of settings) {
		const [field, value] = setting.split(":");
		if (value !== undefined && field in LEARNER_DEFAULTS)
			learner[field] = readValue(field, decodeURIComponent(value));
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

export function writeAddress(state, shown = 0) {
	const parts = [
		...writtenData(state.data),
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
			const value =
				typeof plain === "number" ? Number(parts[field]) : decodeURIComponent(parts[field]);
			const fits =
				typeof plain === "number"
					? Number.isFinite(value)
					: field !== "view" || VIEWS.some(([view]) => view === value);
			if (fits) state[field] = value;
		}
		return Object.keys(state).length ? {state, shown: Number(parts.shown) || 0} : null;
	} catch {
		return null;
	}
}
