// Votes of all the weight vectors of a run on some points, each counted as long as it survived.
// Each is the one before plus a mistaken row, so that its scores are one product more.
import {dot} from "./weights.js";

// Votes are kept at every so many-th update, so that any position is near one that is known.
const KEPT_EVERY = 100;

export class VoteField {
	// `run` has the columns of its updates, which name rows of the table `rows`; X are the points.
	constructor(run, rows, X, d) {
		Object.assign(this, {run, rows, X, d, n: X.length / d, kept: new Map()});
	}

	// The votes after `at` updates: one number for each point, or one for each class.
	at(at) {
		let start = at - (at % KEPT_EVERY);
		while (start > 0 && !this.kept.has(start)) start -= KEPT_EVERY;
		let {scores, votes} = this.kept.get(start) ?? {};
		scores = scores?.slice() ?? this.firstScores();
		votes = votes?.slice() ?? new Float64Array(scores.length);
		for (let k = start; k <= at; k++) {
			if (k % KEPT_EVERY === 0 && !this.kept.has(k))
				this.kept.set(k, {scores: scores.slice(), votes: votes.slice()});
			this.vote(scores, votes, this.run.survived[k]);
			if (k < at) this.move(scores, k);
		}
		return votes;
	}

	firstScores() {
		const {run, d, X, n} = this;
		const {vectors, weights} = run;
		return Float64Array.from({length: n * vectors}, (_, i) => {
			const from = (i % vectors) * (d + 1);
			return dot(X, Math.floor(i / vectors) * d, weights, from, d, weights[from + d]);
		});
	}

	move(scores, k) {
		const {run, rows, X, d, n} = this;
		const {vectors, row, right, wrong, step} = run;
		const bias = run.learner.fit_intercept ? 1 : 0;
		for (let i = 0; i < n; i++) {
			const moved = step[k] * (dot(X, i * d, rows, row[k] * d, d, 0) + bias);
			if (vectors === 1) scores[i] += right[k] ? moved : -moved;
			else scores[i * vectors + right[k]] += moved;
			if (vectors > 1 && wrong[k] >= 0) scores[i * vectors + wrong[k]] -= moved;
		}
	}

	vote(scores, votes, lived) {
		const {vectors, learner} = this.run;
		const atZero = learner.ties === "positive" ? lived : 0;
		for (let i = 0; i < this.n; i++) {
			if (vectors === 1) {
				votes[i] += scores[i] > 0 ? lived : scores[i] < 0 ? -lived : atZero;
				continue;
			}
			let best = i * vectors;
			for (let c = best + 1; c < (i + 1) * vectors; c++) if (scores[c] > scores[best]) best = c;
			votes[best] += lived;
		}
	}
}
