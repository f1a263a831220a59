// What an update did, in words and with the numbers plugged in.
import {bracketed, figure, signed, vector} from "./numbers.js";

// The rule whose every step is as long as the learning rate, and the one that moves on every point.
const [PLAIN, SOFT] = ["perceptron", "soft"];

// How far each rule of the library goes: a formula, and the same with its numbers. `loss` and
// `length` come as letters and as numbers. A rule that is not here is shown by its number alone.
const shortest = ({loss, length}) => [
	`${loss[0]} / ${length[0]}`,
	`${loss[1]} / ${figure(length[1])}`,
];
const FORMULAS = {
	mira: shortest,
	PA: shortest,
	"PA-I": ({loss, length, learner}) => [
		`min(C, ${loss[0]} / ${length[0]})`,
		`min(${figure(learner.C)}, ${loss[1]} / ${figure(length[1])})`,
	],
	"PA-II": ({loss, length, learner}) => [
		`${loss[0]} / (${length[0]} + 1/(2C))`,
		`${loss[1]} / (${figure(length[1])} + ${figure(0.5 / learner.C)})`,
	],
	[SOFT]: ({margin, learner, multiclass}) =>
		multiclass
			? ["η·P(wrong class)"]
			: [`η / (1 + e^(${margin[0]}))`, `${figure(learner.eta0)} / (1 + e^${margin[1]})`],
};

function squared(x) {
	return x.reduce((sum, value) => sum + value * value, 0);
}

// The step size: its letter, and how its number came about (null where it is the learning rate).
function stepFormula({rule, learner}, update, hasBias, multiclass) {
	if (rule === PLAIN) return {symbol: "η", line: null};
	const symbol = "τ";
	if (!FORMULAS[rule]) return {symbol, line: null};
	const norm = squared(update.x) + (hasBias ? 1 : 0);
	const length = hasBias ? "‖(x, 1)‖²" : "‖x‖²";
	const margin = [multiclass ? "m" : "y·s", bracketed(marginOf(update, multiclass))];
	const terms = FORMULAS[rule]({
		margin,
		loss: margin.map((m) => `(1 − ${m})`),
		length: multiclass ? [`2${length}`, 2 * norm] : [length, norm],
		learner,
		multiclass,
	});
	return {symbol, line: ["τ", ...terms, figure(update.step)].join(" = ")};
}

// How far the right answer was ahead: y·s of two classes, else over the wrong class.
function marginOf(update, multiclass) {
	if (!multiclass) return (update.right === 1 ? 1 : -1) * update.score;
	const rival =
		update.wrong >= 0
			? update.score[update.wrong]
			: Math.max(...update.score.filter((_, place) => place !== update.right));
	return update.score[update.right] - rival;
}

function verdict({rule, learner}, update, marks, multiclass) {
	const right = marks[update.right].name;
	const margin = marginOf(update, multiclass);
	const soft = "soft rule moves on every point";
	if (rule === SOFT && multiclass) {
		const wrong = marks[update.wrong]?.name ?? "none";
		return `Right is ${right}. The ${soft}, and each wrong class pays its share; here ${wrong}.`;
	}
	if (rule === SOFT && margin >= 0)
		return margin ? `Right, but not sure of it: the ${soft}.` : `Undecided; the ${soft}.`;
	// Where a tie is an answer, it is that of the last of the equal classes.
	const winner = multiclass
		? update.score.lastIndexOf(Math.max(...update.score))
		: Number(update.score >= 0);
	const said = marks[winner].name;
	const wins = learner.ties === "positive";
	if (margin > 0 || (wins && winner === update.right))
		return "Right, but by less than the margin asked for, so it moves.";
	if (margin === 0) {
		if (!wins) return `A tie counts as a mistake; the label is ${right}.`;
		const tie = multiclass ? "tie" : "score of 0";
		return `A ${tie} counts as ${said}; the label is ${right}: a mistake.`;
	}
	return `Predicted ${said}, the label is ${right}: a mistake.`;
}

function movedVector(ledger, update, place, name, way, symbol, multiclass) {
	const before = ledger.weights(update.k - 1, place);
	const after = ledger.weights(update.k, place);
	const [w0, w1] = [before.slice(0, -1), after.slice(0, -1)];
	const step = figure(update.step);
	const [b0, b1] = [before.at(-1), after.at(-1)];
	// With several classes the sign stands before the step, with two it is y.
	const sign = multiclass && way < 0 ? "−" : "+";
	const y = multiclass ? "" : "·y";
	const factor = multiclass ? step : `${step}·(${signed(way)})`;
	// With a rate ρ for each weight the step is no multiple of the point.
	const moved = (letter, x, from, by, to) =>
		ledger.run.rates
			? `${letter} ← ${letter} ${sign} ${symbol}${y}·ρ${x} = ${to}`
			: `${letter} ← ${letter} ${sign} ${symbol}${y}${x} = ${from} ${sign} ${factor}${by} = ${to}`;
	return {
		line: moved(name, "·x", vector(w0), `·${vector(update.x)}`, vector(w1)),
		shift: moved(name.replace("w", "b"), "", figure(b0), "", figure(b1)),
		...{w0, w1, b0, b1, name},
	};
}

// Everything there is to say about the update that led to position k; null at the start.
export function describeUpdate(ledger, k, marks) {
	const update = ledger.update(k);
	if (!update) return null;
	const {run, hasBias} = ledger;
	const multiclass = run.vectors > 1 || Array.isArray(update.score);
	const facts = {
		update,
		multiclass,
		verdict: verdict(run, update, marks, multiclass),
		lines: [],
		vectors: [],
	};
	const sign = update.right === 1 ? 1 : -1;
	const scores = () =>
		update.score.map((s, place) => `${marks[place].letter}: ${figure(s)}`).join(", ");
	const {symbol, line} = stepFormula(run, update, hasBias, multiclass);
	if (run.vectors === 0) {
		facts.score = multiclass ? scores() : `Σ αᵢ·yᵢ·K(xᵢ, x) = ${figure(update.score)}`;
		const {duals} = ledger.duals(k);
		const now = Math.abs(duals[update.row]);
		const name = `α[point ${update.row + 1}]`;
		const sum = `${figure(now - update.step)} + ${figure(update.step)} = ${figure(now)}`;
		facts.lines.push([`${name} ← ${name} + η = ${sum}`]);
		return facts;
	}
	if (multiclass) {
		facts.score = scores();
		const move = (place, way) => {
			const name = `w[${marks[place].letter}]`;
			facts.vectors.push(movedVector(ledger, update, place, name, way, symbol, true));
		};
		move(update.right, 1);
		if (update.wrong >= 0) move(update.wrong, -1);
		else facts.note = "At a tie no single rival is to blame: only the right class is raised.";
	} else {
		const before = ledger.weights(k - 1);
		const dot = `${vector(before.slice(0, -1))}·${vector(update.x)}`;
		const plugged = hasBias ? `${dot} + ${bracketed(before.at(-1))}` : dot;
		facts.score = `s = w·x${hasBias ? " + b" : ""} = ${plugged} = ${figure(update.score)}`;
		facts.vectors.push(movedVector(ledger, update, 0, "w", sign, symbol, false));
	}
	const lead = `m = ${figure(marginOf(update, multiclass))} (right score minus wrong score)`;
	if (line) facts.lines.push(multiclass && line.includes(" m)") ? [lead, line] : [line]);
	for (const moved of facts.vectors)
		facts.lines.push(hasBias ? [moved.line, moved.shift] : [moved.line]);
	const mean = ledger.answers(k);
	if (mean && !multiclass) {
		const b = hasBias ? `, b̄ = ${figure(mean.at(-1))}` : "";
		const tail = run.learner.average === "tail";
		const which = tail ? "the mean w of later epochs" : "the mean of all w so far";
		facts.note = `Predictions use ${which}: w̄ = ${vector(mean.slice(0, -1))}${b}.`;
	}
	if (run.votes) {
		const survived = run.survived[k - 1];
		const examples = `${figure(survived)} example${survived === 1 ? "" : "s"}`;
		facts.note = `The w before this update stood for ${examples}: that many votes.`;
	}
	return facts;
}

// The same as one sentence, for the line that is read aloud.
export function updateSentence(ledger, k, total, marks, data) {
	const facts = describeUpdate(ledger, k, marks);
	const start = ledger.weights(0);
	if (!facts)
		return start && ledger.run.vectors === 1
			? `Start: w is ${vector(start.slice(0, -1))}.`
			: "Start: nothing learned yet.";
	const {update} = facts;
	const point = data.rows[update.row];
	const {hasBias} = ledger;
	const weights = facts.vectors.map(
		({name, w1, b1}) => `${name} is now ${vector(w1)}${hasBias ? `, b is ${figure(b1)}` : ""}`,
	);
	const which = `point ${update.row + 1} at ${vector(point)}, class ${marks[update.right].name}`;
	return (
		`Update ${update.k} of ${total}: ${which}. ${facts.verdict}` +
		(weights.length ? ` ${weights.join("; ")}.` : "")
	);
}
