// Every example of a run, also those that were right: which point it was, and what was predicted.
import {bestClass} from "./learning.js";
import {Shuffle} from "./shuffle.js";
import {dot} from "./weights.js";

// Of a run whose order is not known there are no visits: another engine shuffled its points.
export class Visits {
	constructor(ledger, data, {order, seed}) {
		const {run} = ledger;
		const held = new Set(data.held ?? []);
		this.rows = data.rows.map((_, i) => i).filter((i) => !held.has(i));
		this.ledger = ledger;
		this.length = run.n_examples;
		// One class alone is never shuffled: its points are learned in the order they have.
		const shuffled = order === "shuffled" && new Set(data.labels).size > 1;
		this.random = shuffled ? new Shuffle(seed) : null;
		this.orders = [];
	}

	// The row of example t, counted from 1.
	row(t) {
		const n = this.rows.length;
		const place = (t - 1) % n;
		if (!this.random) return this.rows[place];
		while (this.orders.length <= Math.floor((t - 1) / n)) {
			const order = new Int32Array(n);
			this.random.fill(order);
			this.orders.push(order);
		}
		return this.rows[this.orders[Math.floor((t - 1) / n)][place]];
	}

	// How many updates were made once example t was learned from.
	updates(t) {
		const times = this.ledger.run.t;
		let [low, high] = [0, times.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (times[middle] <= t) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	// What happened at example t: the point, its scores by the weights before, and whether w moved.
	at(t, labels) {
		const {ledger} = this;
		const row = this.row(t);
		const before = this.updates(t - 1);
		const after = this.updates(t);
		const {vectors, learner} = ledger.run;
		const x = ledger.features[row];
		const scores = Array.from({length: vectors}, (_, c) => {
			const w = ledger.weights(before, c);
			return dot(x, 0, w, 0, x.length, w.at(-1));
		});
		const top = Math.max(...scores);
		const tied = vectors === 1 ? scores[0] === 0 : scores.filter((s) => s === top).length > 1;
		const said = tied && learner.ties === "mistake" ? null : bestClass(scores, learner.ties);
		const epoch = Math.floor((t - 1) / this.rows.length) + 1;
		return {t, row, x, before, after, scores, said, right: labels[row], epoch};
	}
}
