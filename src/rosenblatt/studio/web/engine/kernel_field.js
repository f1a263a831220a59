// What a kernel learner scores on some points after any of its updates. Each update adds the kernel
// of one row to the scores.
import {kernelOf} from "./kernels.js";

// Scores are kept at every so many-th update, so that any position is near one that is known.
const KEPT_EVERY = 100;

export class KernelField {
	// `run` has the columns of its updates, which name rows of the table `rows`; X are the points.
	constructor(run, rows, X, d, vectors) {
		Object.assign(this, {run, rows, X, vectors, n: X.length / d, kept: new Map()});
		this.kernel = kernelOf(run.learner, run.gamma, d);
	}

	// The scores after `at` updates: one number for each point, or one for each class.
	at(at) {
		let start = at - (at % KEPT_EVERY);
		while (start > 0 && !this.kept.has(start)) start -= KEPT_EVERY;
		const scores = this.kept.get(start)?.slice() ?? new Float64Array(this.n * this.vectors);
		for (let k = start; k < at; k++) {
			if (k % KEPT_EVERY === 0 && !this.kept.has(k)) this.kept.set(k, scores.slice());
			this.move(scores, k);
		}
		return scores;
	}

	move(scores, k) {
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
