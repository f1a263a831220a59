// Votes of all the weight vectors of a run on some points, each counted as long as it survived.
// Each is the one before plus a mistaken row, so that its scores are one product more.
import {RunField} from "./run_field.js";
import {dot} from "./weights.js";

export class VoteField extends RunField {
	// `run` has the columns of its updates, which name rows of the table `rows`; X are the points.
	constructor(run, rows, X, d) {
		super();
		Object.assign(this, {run, rows, X, d, n: X.length / d});
	}

	first() {
		const scores = this.firstScores();
		return {scores, votes: new Float64Array(scores.length)};
	}

	advance({scores, votes}, k) {
		this.vote(scores, votes, this.run.survived[k]);
		this.move(scores, k);
	}

	// One number for each point, or one for each class: the votes with those of the present weights.
	result({scores, votes}, at) {
		const found = votes.slice();
		this.vote(scores, found, this.run.survived[at]);
		return found;
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
