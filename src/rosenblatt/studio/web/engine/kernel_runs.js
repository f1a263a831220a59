// A run of a kernel learner as the page shows it: what it stored, and what points score by that.
import {KernelField} from "./kernel_field.js";
import {KernelTraining} from "./kernel_training.js";
import {gammaOf, kernelErrorOf, kernelOf} from "./kernels.js";
import {bestClass} from "./learning.js";
import {mostUpdates, PageRun} from "./page_runs.js";
import {ruleOf} from "./rules.js";

// Values of a kernel that a run may take, about a second's worth.
const MOST_COMPARED = 60_000_000;
const CLOSE = "Some scores were 0 up to rounding, where Python may decide otherwise.";

export class KernelRun extends PageRun {
	begin() {
		const {learner, rows} = this;
		if (rows.oneClass)
			throw new Error(
				`There is only one class, ${rows.classes[1]}, and a kernel learner needs two. Add a ` +
					"point of another class, or choose a linear learner.",
			);
		this.rule = ruleOf({kind: "perceptron", eta0: 1, margin: 0, ties: learner.ties});
		this.gamma = gammaOf(learner, rows);
		this.kernel = kernelOf(learner, this.gamma, rows.d);
		const kernelError = kernelErrorOf(learner, this.gamma, rows);
		this.training = new KernelTraining(rows, rows.vectors, this.rule, this.kernel, kernelError);
	}

	epochs(asked) {
		const {n, vectors} = this.rows;
		return Math.min(asked, Math.max(1, Math.floor(MOST_COMPARED / (n * n * vectors))));
	}

	// Whether rounding may have decided something.
	get isClose() {
		return this.training.isClose;
	}

	follow() {
		const {rows, training} = this;
		const {entries} = training;
		[this.made, this.length] = [entries.length, Math.min(entries.length, mostUpdates(rows))];
		this.columns = Object.fromEntries(
			Object.entries(entries).map(([name, column]) => [name, column.slice(0, this.length)]),
		);
		const {t} = entries;
		this.examples = this.length < this.made ? t[this.length] - 1 : training.t;
		[this.weights, this.answers] = [null, null];
		this.scores = this.columns.row.map((row, k) => {
			const scores = Array.from(this.values(k, rows.X, row));
			return rows.vectors === 1 ? scores[0] : scores;
		});
	}

	// What the rows count for after `at` updates, by their places: walks from the last one asked for.
	coefficients(at) {
		const {vectors} = this.rows;
		const {row, right, wrong} = this.columns;
		this.walked ??= {at: 0, of: new Map()};
		const {walked} = this;
		const add = (k, way) => {
			const own = walked.of.get(row[k]) ?? new Float64Array(vectors);
			walked.of.set(row[k], own);
			if (vectors === 1) own[0] += way * (2 * right[k] - 1);
			else own[right[k]] += way;
			if (vectors > 1 && wrong[k] >= 0) own[wrong[k]] -= way;
		};
		while (walked.at < at) add(walked.at++, 1);
		while (walked.at > at) add(--walked.at, -1);
		return walked.of;
	}

	get fieldOn() {
		const {columns, learner, gamma, rows} = this;
		const run = {...columns, learner, gamma};
		return (X) => new KernelField(run, rows.X, X, rows.d, rows.vectors);
	}

	// What row i of X scores after `at` updates.
	values(at, X, i = 0) {
		const {rows, kernel} = this;
		const found = new Float64Array(rows.vectors);
		for (const [row, own] of this.coefficients(at)) {
			if (!own.some(Boolean)) continue;
			const value = kernel(rows.X, row, X, i);
			for (let c = 0; c < own.length; c++) found[c] += own[c] * value;
		}
		return found;
	}

	// The score as a x + b y + c + d x² + e x y + f y², where the kernel gives such a one.
	quadratic(at) {
		const {kernel, degree, coef0} = this.learner;
		const power = kernel === "linear" ? 1 : kernel === "poly" ? degree : 0;
		if (power !== 1 && power !== 2) return null;
		const [g, c] = kernel === "linear" ? [1, 0] : [this.gamma, coef0];
		const found = [0, 0, 0, 0, 0, 0];
		for (const [row, [own]] of this.coefficients(at)) {
			const [x, y] = [this.rows.X[2 * row], this.rows.X[2 * row + 1]];
			const terms =
				power === 1
					? [g * x, g * y, c, 0, 0, 0]
					: [2 * g * c * x, 2 * g * c * y, c * c, g * g * x * x, 2 * g * g * x * y, g * g * y * y];
			terms.forEach((term, i) => {
				found[i] += own * term;
			});
		}
		return found;
	}

	errors() {
		const {training, rows, learner} = this;
		const {vectors} = rows;
		const of = (row) => training.scores.subarray(row * vectors, (row + 1) * vectors);
		return rows.y.filter((label, row) => bestClass(of(row), learner.ties) !== label).length;
	}

	sentence() {
		return this.isClose ? `${super.sentence()} ${CLOSE}` : super.sentence();
	}

	toJson() {
		return {...super.toJson(), vectors: 0, gamma: this.gamma};
	}
}
