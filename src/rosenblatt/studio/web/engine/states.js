// The state of a page with its gaps filled; what cannot be is an error that names the field.
import {grouped} from "./numbers.js";

const MAPS = ["none", "product", "quadratic"];
const VIEWS = ["plane", "weights", "lift", "mistakes", "table"];
export const MOST_ROWS = 10_000;
export const MOST_CLASSES = 100;
const MOST_LEARNERS = 4;
const [MOST_EPOCHS, MOST_EXAMPLES, LONGEST_NAME] = [10_000, 1_000_000, 200];
// Every so many-th point may be held out.
const MOST_HELD = 10;
// Of a point or a weight, and of a setting.
const [LARGEST, LARGEST_SETTING] = [1e15, 1e6];

function shown(value) {
	if (value === null || value === undefined) return "nothing";
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (typeof value === "object") return "an object";
	const said = typeof value === "string" ? `"${value}"` : String(value);
	return said.length <= 40 ? said : `${said.slice(0, 39)}…`;
}

export function refusal(name, value, allowed) {
	return new Error(`${name} is ${shown(value)}: give ${allowed}.`);
}

function choice(name, value, allowed) {
	if (!allowed.includes(value)) throw refusal(name, value, `one of ${allowed.join(", ")}`);
	return value;
}

export function number(name, value, least = -Infinity, most = Infinity) {
	if (typeof value !== "number" || !Number.isFinite(value)) throw refusal(name, value, "a number");
	if (value < least || value > most)
		throw refusal(name, value, `a number from ${least} to ${grouped(most)}`);
	return value;
}

export function wholeNumber(name, value, least, most) {
	if (!Number.isInteger(value)) throw refusal(name, value, "a whole number");
	return number(name, value, least, most);
}

function text(name, value) {
	const said = Number.isInteger(value) ? String(value) : value;
	if (typeof said !== "string" || !said.trim()) throw refusal(name, value, "some text");
	if (said.length > LONGEST_NAME) throw refusal(name, value, `at most ${LONGEST_NAME} characters`);
	return said;
}

function completeRow(name, row) {
	if (!Array.isArray(row) || row.length !== 3) throw refusal(name, row, "two numbers and a class");
	const [x, y] = ["x", "y"].map((axis, i) => number(`${name}: ${axis}`, row[i], -LARGEST, LARGEST));
	return [x, y, text(`${name}: the class`, row[2])];
}

function completeData(data, presets) {
	if (data.preset !== undefined) {
		const known = presets.map(({id}) => id);
		return {preset: choice("data.preset", data.preset, known)};
	}
	const rows = data.rows ?? [];
	if (!rows.length) throw new Error("data.rows is empty: add a point, or choose a preset.");
	if (rows.length > MOST_ROWS)
		throw new Error(
			`data.rows has ${grouped(rows.length)} rows: give at most ${grouped(MOST_ROWS)}.`,
		);
	const checked = rows.map((row, i) => completeRow(`Point ${i + 1}`, row));
	const classes = new Set(checked.map((row) => row[2])).size;
	if (classes > MOST_CLASSES)
		throw new Error(
			`data.rows has ${classes} classes, the last entries of the rows: give at most ` +
				`${MOST_CLASSES}.`,
		);
	const columns = (data.columns ?? ["x", "y"]).map((name, i) => text(`data.columns[${i}]`, name));
	return {columns, rows: checked};
}

function completeField(name, value, field) {
	if (value === null && field.optional) return null;
	if (field.kind === "flag") return choice(name, value, [true, false]);
	if (field.kind === "choice") return choice(name, value, field.choices);
	number(name, value, field.at_least ?? -LARGEST_SETTING, field.at_most ?? LARGEST_SETTING);
	if (!(value > (field.above ?? -Infinity)))
		throw refusal(name, value, `a number above ${field.above}`);
	if (!(value < (field.below ?? Infinity)))
		throw refusal(name, value, `a number below ${field.below}`);
	return value;
}

function completeLearner(name, asked, offered) {
	const kind = choice(
		`${name}: kind`,
		asked.kind ?? "perceptron",
		offered.map((one) => one.kind),
	);
	const {fields} = offered.find((one) => one.kind === kind);
	const learner = {kind};
	for (const field of fields)
		learner[field.name] = completeField(
			`${name}: ${field.name}`,
			asked[field.name] ?? field.default,
			field,
		);
	learner.initial = asked.initial ?? null;
	for (const [i, value] of (learner.initial ?? []).entries())
		number(`${name}: initial[${i}]`, value, -LARGEST, LARGEST);
	return learner;
}

// The rows of a state's data: two numbers and a class each, and what the columns are called.
export function rowsOf({data}, presets) {
	if (!data.preset) return data;
	return {columns: ["x", "y"], rows: presets.find(({id}) => id === data.preset).rows};
}

export function complete(asked, {presets, learners}) {
	const data = completeData(asked.data ?? {preset: "six"}, presets);
	const own = presets.find(({id}) => id === data.preset)?.learners ?? [{kind: "perceptron"}];
	const listed = asked.learners ?? own;
	if (!listed.length || listed.length > MOST_LEARNERS)
		throw refusal("learners", listed, `1 to ${MOST_LEARNERS} learners`);
	const state = {
		v: 1,
		data,
		map: choice("map", asked.map ?? "none", MAPS),
		learners: listed.map((one, i) => completeLearner(`Learner ${i + 1}`, one, learners)),
		order: choice("order", asked.order ?? "given", ["given", "shuffled"]),
		seed: wholeNumber("seed", asked.seed ?? 0, 0, 2 ** 32 - 1),
		epochs: wholeNumber("epochs", asked.epochs ?? 100, 1, MOST_EPOCHS),
		held: wholeNumber("held", asked.held ?? 0, 0, MOST_HELD),
		at: wholeNumber("at", asked.at ?? 0, 0, 1e9),
		view: choice("view", asked.view ?? "plane", VIEWS),
	};
	const n = rowsOf(state, presets).rows.length;
	if (n * state.epochs > MOST_EXAMPLES) {
		const most = Math.floor(MOST_EXAMPLES / n).toLocaleString("en");
		throw new Error(
			`epochs is ${grouped(state.epochs)}: for ${grouped(n)} points give at most ${most}.`,
		);
	}
	return state;
}

// The weights to begin with fit the rows: as many numbers as there are weights and biases.
export function checkInitial(name, learner, rows) {
	const {initial} = learner;
	if (!initial) return;
	const {vectors, d, names} = rows;
	const each = vectors === 1 ? "" : ` for each of ${vectors} classes`;
	if (initial.length !== vectors * (d + 1))
		throw new Error(
			`${name}: initial has ${initial.length} numbers: give ${vectors * (d + 1)}, the ` +
				`weights of ${names.join(", ")} and the bias${each}.`,
		);
	if (!learner.fit_intercept && initial.some((value, i) => i % (d + 1) === d && value))
		throw new Error(`${name}: initial has a bias, but the learner has none: give 0 for it.`);
}
