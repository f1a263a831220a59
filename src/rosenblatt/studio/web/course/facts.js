// What can be asked of a run in an exercise, by name, and whether it is as wanted.
import {RunErrors} from "../engine/run_errors.js";
import {parseNumber} from "./typed_numbers.js";

// In units of the plane: a point that is dragged is seldom at exactly 0.
const ON_AXIS = 0.1;
const NEAR_LINE = 0.5;

// Training errors at the end of a run, by whatever predicts: last weights, their mean, a vote or a
// kernel; null if the page cannot work them out.
function errorsOf({data, runs: [run]}) {
	const errors = new RunErrors({run}, data);
	return errors.known ? errors.at(run.n_updates).learned : null;
}

// How many classes have a point at x₁ = 0 that is no farther than `NEAR_LINE` from the line.
function classesNearLine({data, runs: [run]}) {
	const [w1, w2, b] = run.weights.slice(-3);
	const isNear = ([x1, x2]) =>
		Math.abs(x1) <= ON_AXIS && Math.abs(w1 * x1 + w2 * x2 + b) <= NEAR_LINE * Math.hypot(w1, w2);
	return new Set(data.labels.filter((_, i) => isNear(data.rows[i]))).size;
}

// How many of the points one began with are no longer where they were, or of their class.
function changed(before, after) {
	const key = (data) => data.rows.map((row, i) => `${row} ${data.classes[data.labels[i]]}`);
	const left = key(after);
	return key(before).filter((point) => {
		const place = left.indexOf(point);
		if (place >= 0) left.splice(place, 1);
		return place < 0;
	}).length;
}

const FACTS = {
	points: ["points", ({data}) => data.rows.length],
	classes: ["classes", ({data}) => data.classes.length],
	changed: ["points that were changed", ({data}, before) => changed(before.data, data)],
	mistakes: ["mistakes of the run", ({runs: [run]}) => run.n_updates],
	epochs: ["epochs", ({runs: [run]}) => run.mistakes_per_epoch.length],
	errors: ["training errors at the end", errorsOf],
	near_x1_0: ["classes with a point at x₁ = 0 near the line", classesNearLine],
	separable: [
		"separable",
		({theory}) => ({true: "yes", false: "no"})[theory.separable] ?? "unknown",
	],
	margin: ["the margin γ", ({theory}) => theory.margin ?? 0],
	radius: ["the radius R", ({theory}) => theory.radius],
	bound: ["the bound R²/γ²", ({theory}) => theory.bound ?? Infinity],
	w1: ["w₁", ({runs: [run], data}) => run.weights.at(-data.features.length - 1)],
	w2: ["w₂", ({runs: [run], data}) => run.weights.at(-data.features.length)],
	b: ["b", ({runs: [run]}) => run.weights.at(-1)],
	a1: ["average of w₁", ({runs: [run], data}) => run.answers.at(-data.features.length - 1)],
	a2: ["average of w₂", ({runs: [run], data}) => run.answers.at(-data.features.length)],
	uw: ["u·w", ({runs: [run]}) => run.proof.u_dot_w.at(-1)],
	norm: ["‖w‖", ({runs: [run]}) => run.proof.norm.at(-1)],
	slack: [
		"R²/γ² minus mistakes",
		({runs: [run], theory}) => (theory.bound ?? Infinity) - run.n_updates,
	],
	ends: ["the run ends by", ({runs: [run]}) => run.stop_reason],
	learner: ["learner", ({runs: [run]}) => run.learner.kind],
	eta0: ["η", ({runs: [run]}) => run.learner.eta0],
	bias: ["bias", ({runs: [run]}) => (run.learner.fit_intercept ? "yes" : "no")],
	map: ["feature map", ({state}) => state.map],
};

const COMPARE = {
	"=": (found, wanted) => (typeof found === "number" ? near(found, wanted) : found === wanted),
	"!=": (found, wanted) => !COMPARE["="](found, wanted),
	"<": (found, wanted) => found < Number(wanted),
	"<=": (found, wanted) => found <= Number(wanted) + 1e-9,
	">": (found, wanted) => found > Number(wanted),
	">=": (found, wanted) => found >= Number(wanted) - 1e-9,
};

export function near(found, typed) {
	const number = parseNumber(typed);
	return Math.abs(number - found) <= 0.005 * Math.max(1, Math.abs(found));
}

export function fact(name, answer, before = answer) {
	return FACTS[name][1](answer, before);
}

export function factTitle(name) {
	return FACTS[name][0];
}

function worded(value) {
	if (value === null) return "not known";
	if (typeof value !== "number") return String(value);
	return value === Infinity ? "none" : String(Number(value.toPrecision(4))).replace("-", "−");
}

// Each condition of "mistakes = 2, points >= 6": whether it holds, in words.
export function judged(conditions, answer, before) {
	return conditions.split(",").map((text) => {
		const [, name, sign, wanted] = text.trim().match(/^(\w+) (=|!=|<=|>=|<|>) (.+)$/);
		const found = fact(name, answer, before);
		// What cannot be worked out is not as wanted.
		const holds = found !== null && COMPARE[sign](found, wanted);
		const said =
			sign === "="
				? wanted
				: `${sign.replace("<=", "≤").replace(">=", "≥").replace("!=", "≠")} ${wanted}`;
		return {
			holds,
			words: `${factTitle(name)}: ${worded(found)}${holds ? "" : ` (wanted: ${said})`}`,
		};
	});
}
