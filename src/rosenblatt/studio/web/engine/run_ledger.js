// One run as its updates: the weights after any of them, and how often each point was used.
import {clamped} from "./numbers.js";

export class RunLedger {
	constructor(run, data) {
		this.run = run;
		this.length = run.n_updates;
		this.features = data.mapped ?? data.rows;
		this.size = data.features.length + 1;
		this.counted = {
			k: 0,
			uses: new Int32Array(data.rows.length),
			duals: new Float64Array(data.rows.length),
		};
	}

	// Whether its weights end in a bias that is learned.
	get hasBias() {
		return this.run.vectors > 0 && this.run.learner.fit_intercept !== false;
	}

	clip(k) {
		return clamped(k, 0, this.length);
	}

	vectorFrom(flat, k, place) {
		if (!flat || !this.run.vectors) return null;
		const start = (this.clip(k) * this.run.vectors + place) * this.size;
		return flat.slice(start, start + this.size);
	}

	weights(k, place = 0) {
		return this.vectorFrom(this.run.weights, k, place);
	}

	answers(k, place = 0) {
		return this.vectorFrom(this.run.answers, k, place);
	}

	// The update that led to position k, or null at the start.
	update(k) {
		const i = this.clip(k) - 1;
		if (i < 0) return null;
		const {run} = this;
		return {
			k: i + 1,
			row: run.row[i],
			t: run.t[i],
			epoch: run.epoch[i],
			score: run.score[i],
			right: run.right[i],
			wrong: run.wrong[i],
			step: run.step[i],
			x: this.features[run.row[i]],
		};
	}

	// Uses and signed step sums by row after k updates. Walks from the last position asked for.
	duals(k) {
		const goal = this.clip(k);
		const {run, counted} = this;
		const apply = (i, way) => {
			// The soft rule may move several classes at one example, which then was used once.
			if (run.t[i] !== run.t[i - 1]) counted.uses[run.row[i]] += way;
			counted.duals[run.row[i]] +=
				way * run.step[i] * (run.vectors <= 1 && run.right[i] === 0 ? -1 : 1);
		};
		while (counted.k < goal) apply(counted.k++, 1);
		while (counted.k > goal) apply(--counted.k, -1);
		return counted;
	}
}
