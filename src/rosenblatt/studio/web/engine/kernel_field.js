// What a kernel learner scores on some points after any of its updates. Each update adds the kernel
// of one row to the scores.
import {kernelOf} from "./kernels.js";
import {RunField} from "./run_field.js";

export class KernelField extends RunField {
	// `run` has the columns of its updates, which name rows of the table `rows`; X are the points.
	constructor(run, rows, X, d, vectors) {
		super();
		Object.assign(this, {run, rows, X, vectors, n: X.length / d});
		this.kernel = kernelOf(run.learner, run.gamma, d);
	}

	first() {
		return {scores: new Float64Array(this.n * this.vectors)};
	}

	// One number for each point, or one for each class; they hold until the next question.
	result({scores}) {
		return scores;
	}

	advance({scores}, k) {
		const {run, rows, X, vectors, n, kernel} = this;
		const {row, right, wrong, step} = run;
		for (let i = 0; i < n; i++) {
			const moved = step[k] * kernel(rows, row[k], X, i);
			if (vectors === 1) scores[i] += right[k] ? moved : -moved;
			else scores[i * vectors + right[k]] += moved;
			if (vectors > 1 && wrong[k] >= 0) scores[i * vectors + wrong[k]] -= moved;
		}
	}
}
