// Which points are predicted wrongly at any position of a run, by the weights that predict: the
// last ones, their mean, or all of them by their votes; and how many they are along the run.
import {KernelField} from "./kernel_field.js";
import {hasKernel} from "./kernels.js";
import {bestClass} from "./learning.js";
import {VoteField} from "./vote_field.js";
import {dot} from "./weights.js";

// Errors are counted at so many positions.
const MOST_COUNTED = 240;

export class RunErrors {
	constructor(ledger, data) {
		const {run} = ledger;
		Object.assign(this, {run, labels: data.labels, d: data.features.length});
		this.vectors = run.vectors || (run.score[0]?.length ?? 1);
		// A learner of another package may have a kernel that is not known here.
		this.known = run.vectors > 0 || hasKernel(run.learner);
		this.X = Float64Array.from((data.mapped ?? data.rows).flat());
		this.isHeld = new Uint8Array(data.rows.length);
		for (const row of data.held ?? []) this.isHeld[row] = 1;
		this.n = [data.rows.length - (data.held?.length ?? 0), data.held?.length ?? 0];
		this.field = run.votes ? new VoteField(run, this.X, this.X, this.d) : null;
		if (!run.vectors && this.known)
			this.field = new KernelField(run, this.X, this.X, this.d, this.vectors);
		this.last = {at: -1};
		const stride = Math.max(1, Math.ceil(run.n_updates / MOST_COUNTED));
		this.places = Array.from({length: Math.ceil(run.n_updates / stride)}, (_, i) => i * stride);
		this.places.push(run.n_updates);
		this.curve = [];
	}

	// The points that are wrong after `at` updates, and how many of those learned from and held out.
	at(at) {
		if (this.last.at === at) return this.last;
		const {vectors, run} = this;
		const {learner} = run;
		const scores = this.field?.at(at) ?? this.scores(at);
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
}
