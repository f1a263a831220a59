// Which points are predicted wrongly at any position of a run, by the weights that predict: the
// last ones, their mean, or all of them by their votes; and how many they are along the run.
import {bestClass} from "./learning.js";
import {dot} from "./weights.js";

// Votes are kept at every so many-th update, and errors counted at so many positions.
const KEPT_EVERY = 100;
const MOST_COUNTED = 240;

export class RunErrors {
	constructor(ledger, data) {
		const {run} = ledger;
		Object.assign(this, {run, labels: data.labels, d: data.features.length});
		this.known = run.vectors > 0;
		this.X = Float64Array.from((data.mapped ?? data.rows).flat());
		this.isHeld = new Uint8Array(data.rows.length);
		for (const row of data.held ?? []) this.isHeld[row] = 1;
		this.n = [data.rows.length - (data.held?.length ?? 0), data.held?.length ?? 0];
		this.kept = new Map();
		this.last = {at: -1};
		const stride = Math.max(1, Math.ceil(run.n_updates / MOST_COUNTED));
		this.places = Array.from({length: Math.ceil(run.n_updates / stride)}, (_, i) => i * stride);
		this.places.push(run.n_updates);
		this.curve = [];
	}

	// The points that are wrong after `at` updates, and how many of those learned from and held out.
	at(at) {
		if (this.last.at === at) return this.last;
		const {vectors, learner, votes} = this.run;
		const scores = votes ? this.votes(at) : this.scores(at);
		const [wrong, counts] = [[], [0, 0]];
		for (let i = 0; i < this.labels.length; i++) {
			const own = scores.subarray(i * vectors, (i + 1) * vectors);
			if (bestClass(own, learner.ties) === this.labels[i]) continue;
			wrong.push(i);
			counts[this.isHeld[i]] += 1;
		}
		this.last = {at, wrong, learned: counts[0], held: counts[1]};
		return this.last;
	}

	// Counts some more of the curve, for so many milliseconds; whether all of it is known.
	count(milliseconds) {
		const end = performance.now() + milliseconds;
		while (this.curve.length < this.places.length && performance.now() < end) {
			const {at, learned, held} = this.at(this.places[this.curve.length]);
			this.curve.push([at, learned, held]);
		}
		return this.curve.length === this.places.length;
	}

	scores(at) {
		const {labels, d, X, run} = this;
		const {vectors} = run;
		const flat = run.answers ?? run.weights;
		const found = new Float64Array(labels.length * vectors);
		for (let i = 0; i < labels.length; i++)
			for (let c = 0; c < vectors; c++) {
				const from = (at * vectors + c) * (d + 1);
				found[i * vectors + c] = dot(X, i * d, flat, from, d, flat[from + d]);
			}
		return found;
	}

	// From the nearest position before that is kept, update by update.
	votes(at) {
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
		const {run, labels, d, X} = this;
		const {vectors, weights} = run;
		return Float64Array.from({length: labels.length * vectors}, (_, i) => {
			const from = (i % vectors) * (d + 1);
			return dot(X, Math.floor(i / vectors) * d, weights, from, d, weights[from + d]);
		});
	}

	move(scores, k) {
		const {run, X, d} = this;
		const {vectors, row, right, wrong, step} = run;
		const bias = run.learner.fit_intercept ? 1 : 0;
		for (let i = 0; i < this.labels.length; i++) {
			const moved = step[k] * (dot(X, i * d, X, row[k] * d, d, 0) + bias);
			if (vectors === 1) scores[i] += right[k] ? moved : -moved;
			else scores[i * vectors + right[k]] += moved;
			if (vectors > 1 && wrong[k] >= 0) scores[i * vectors + wrong[k]] -= moved;
		}
	}

	vote(scores, votes, lived) {
		const {vectors, learner} = this.run;
		const atZero = learner.ties === "positive" ? lived : 0;
		for (let i = 0; i < this.labels.length; i++) {
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
