// What can be asked of a run in an exercise, by name, and whether it is as wanted.

function errorsOf({data, runs: [run]}) {
	const last = run.answers ?? run.weights;
	if (!run.vectors || !last) return null;
	const size = data.features.length + 1;
	const from = last.length - run.vectors * size;
	const score = (x, place) =>
		x.reduce((sum, value, i) => sum + value * last[from + place * size + i], 0) +
		last[from + (place + 1) * size - 1];
	const predicted = (x) => {
		if (run.vectors === 1) {
			const s = score(x, 0);
			return s > 0 || (s === 0 && run.learner.ties === "positive") ? 1 : 0;
		}
		const scores = Array.from({length: run.vectors}, (_, place) => score(x, place));
		return scores.lastIndexOf(Math.max(...scores));
	};
	return (data.mapped ?? data.rows).filter((x, i) => predicted(x) !== data.labels[i]).length;
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
	const number = Number(String(typed).trim().replace(",", ".").replace("−", "-"));
	return (
		String(typed).trim() !== "" && Math.abs(number - found) <= 0.005 * Math.max(1, Math.abs(found))
	);
}

export function fact(name, answer, before = answer) {
	return FACTS[name][1](answer, before);
}

export function factTitle(name) {
	return FACTS[name][0];
}

function worded(value) {
	if (typeof value !== "number") return String(value);
	return value === Infinity ? "none" : String(Number(value.toPrecision(4))).replace("-", "−");
}

// Each condition of "mistakes = 2, points >= 6": whether it holds, in words.
export function judged(conditions, answer, before) {
	return conditions.split(",").map((text) => {
		const [, name, sign, wanted] = text.trim().match(/^(\w+) (=|!=|<=|>=|<|>) (.+)$/);
		const found = fact(name, answer, before);
		const holds = COMPARE[sign](found, wanted);
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
