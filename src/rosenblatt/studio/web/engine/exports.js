// A run to take home: as a Python script, a notebook, or a table of its updates.
import {counted} from "./numbers.js";
import {titleOf} from "./page_runs.js";

const WIDTH = 96;
const MAPPED = {
	none: "points",
	product: "np.column_stack([points, points[:, 0] * points[:, 1]])",
	quadratic:
		"np.column_stack(\n    [points, points[:, 0] ** 2, points[:, 0] * points[:, 1], " +
		"points[:, 1] ** 2]\n)",
};

function python(value) {
	if (value === true || value === "yes") return "True";
	if (value === false || value === "no") return "False";
	if (value === null) return "None";
	if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
	return typeof value === "string" ? JSON.stringify(value) : String(value);
}

// Items with commas, as many a line as fit.
function wrapped(items) {
	const lines = [];
	let line = "";
	for (const item of items) {
		if (line && 10 + line.length + item.length > WIDTH) {
			lines.push(line);
			line = "";
		}
		line += `${line ? " " : ""}${item},`;
	}
	return [...lines, line].map((one) => `        ${one}\n`).join("");
}

function dataCell({rows, state}) {
	const points = rows.points.map((point) => python(point));
	const lines = [
		`columns = ${python(rows.columns)}`,
		`classes = [${rows.classes.map((name) => JSON.stringify(name)).join(", ")}]`,
		`points = np.array(\n    [\n${wrapped(points)}    ],\n    dtype=float,\n)`,
		`X = ${MAPPED[state.map]}`,
		"# Each class by its place in `classes`; of two, the second is the positive one.",
		`y = np.array(\n    [\n${wrapped(Array.from(rows.y, String))}    ]\n)`,
	];
	if (rows.oneClass)
		lines.push(
			"# There is only one class: a row that counts for nothing stands for the other.",
			"X, y = np.vstack([X, np.zeros(X.shape[1])]), np.append(y, 0)",
			"counts = np.append(np.ones(len(points)), 0.0)",
		);
	return `${lines.join("\n")}\n`;
}

function learnerCell(run, state) {
	const {learner, offered, rows, training} = run;
	const own = offered.fields.filter(({name, default: usual}) => learner[name] !== usual);
	const settings = own.map(({name}) => [name, learner[name]]);
	const shuffle = state.order === "shuffled" && !rows.oneClass;
	const isKernel = !run.weights;
	settings.push(
		...(isKernel
			? [
					["combine", "last"],
					["multiclass", "argmax"],
				]
			: [["record", true]]),
	);
	settings.push(["max_iter", run.epochs(state.epochs)], ["shuffle", shuffle]);
	if (shuffle) settings.push(["random_state", state.seed]);
	const given = ["X", "y"];
	if (learner.initial) {
		const {start, vectors, d} = training;
		const coef = Array.from({length: vectors}, (_, c) => [...start.w.slice(c * d, (c + 1) * d)]);
		given.push(`coef_init=${python(coef)}`, `intercept_init=${python([...start.b])}`);
	}
	if (rows.oneClass) given.push("sample_weight=counts");
	const ofKernel = {"support points": "support_", coefficients: "dual_coef_"};
	const ends = Object.entries(isKernel ? ofKernel : {w: "coef_", b: "intercept_"});
	const printed = 'learner.stop_reason_, "after", learner.n_mistakes_, "mistakes")';
	return [
		`learner = ${offered.class_name}(`,
		...settings.map(([name, value]) => `    ${name}=${python(value)},`),
		")",
		`learner.fit(${given.join(", ")})`,
		`print(${JSON.stringify(`${titleOf(learner, offered)}:`)}, ${printed}`,
		...ends.map(([name, array]) => `print("${name}", learner.${array}.tolist())`),
		"",
	].join("\n");
}

const about = ({rows}) =>
	`A run of the perceptron studio on ${counted(rows.n, "point", "points")}.`;

function cells(study) {
	const names = [...new Set(study.runs.map(({offered}) => offered.class_name))].sort();
	const imports = names.map((name) => `from rosenblatt import ${name}`).join("\n");
	return [
		`import numpy as np\n\n${imports}\n`,
		dataCell(study),
		...study.runs.map((run) => learnerCell(run, study.state)),
	];
}

// Learns every run again and prints the weights it ends with.
export function script(study) {
	return [`"""${about(study)}"""\n`, ...cells(study)].join("\n");
}

// The same cell by cell, as nbformat 4 has it.
export function notebook(study) {
	const code = {cell_type: "code", execution_count: null, metadata: {}, outputs: []};
	const all = [
		{cell_type: "markdown", metadata: {}, source: `# ${about(study)}`},
		...cells(study).map((source) => ({...code, source: source.trimEnd()})),
	];
	const kernel = {display_name: "Python 3", language: "python", name: "python3"};
	const whole = {
		cells: all.map((cell, i) => ({id: `cell-${i}`, ...cell})),
		metadata: {kernelspec: kernel, language_info: {name: "python"}},
		nbformat: 4,
		nbformat_minor: 5,
	};
	return `${JSON.stringify(whole, null, 1)}\n`;
}

// A text that a spreadsheet would run begins with an apostrophe; what holds marks is quoted.
function csvCell(cell) {
	let text = String(cell);
	if (typeof cell === "string" && /^[=+\-@\t\r\n]/.test(cell) && !Number.isFinite(Number(cell)))
		text = `'${text}`;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// One line an update: which point, what it scored, and the weights after it.
export function ledgerCsv(run, rows) {
	const {classes, columns, names} = rows;
	const several = classes.length > 2;
	const of = several ? classes.map((name) => ` of ${name}`) : [""];
	const lines = [
		[
			...["update", "epoch", "example", "point", ...columns, "class", "predicted"],
			...(several ? ["lowered"] : []),
			...(several ? classes.map((name) => `score of ${name}`) : ["score"]),
			"step",
			...(run.weights ? of : []).flatMap((which) =>
				[...names, "bias"].map((name) => `weight of ${name}${which}`),
			),
		],
	];
	const found = run.toJson();
	const size = (found.weights?.length ?? 0) / (run.length + 1);
	for (let k = 0; k < run.length; k++) {
		const [row, wrong, score] = [found.row[k], found.wrong[k], found.score[k]];
		const scores = several ? score : [0, score];
		const top = Math.max(...scores);
		const tied = scores.filter((value) => value === top).length > 1;
		const said = tied && run.learner.ties !== "positive" ? "" : classes[scores.lastIndexOf(top)];
		lines.push([
			...[k + 1, found.epoch[k], found.t[k], row + 1, ...rows.all.points[row]],
			...[classes[found.right[k]], said],
			...(several ? [wrong < 0 ? "" : classes[wrong]] : []),
			...(several ? score : [score]),
			found.step[k],
			...(found.weights ?? []).slice((k + 1) * size, (k + 2) * size),
		]);
	}
	return lines.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}
