// One run as its updates: the weights after any of them, and how often each point was used.
import {clamped} from "./words.js";

const LINE_FITS = 1e-12;

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

// The part of the line a·x + b·y + c = 0 inside a box, as two ends, or null.
export function segmentInBox([a, b, c], [x0, x1, y0, y1]) {
	const size = Math.abs(a) * (x1 - x0) + Math.abs(b) * (y1 - y0);
	if (!(size > LINE_FITS * (1e-300 + Math.abs(c))) || !Number.isFinite(size + c)) return null;
	let ends = [
		[x0, y0],
		[x1, y0],
		[x1, y1],
		[x0, y1],
	];
	const found = [];
	for (let i = 0; i < 4; i += 1) {
		const [p, q] = [ends[i], ends[(i + 1) % 4]];
		const [fp, fq] = [a * p[0] + b * p[1] + c, a * q[0] + b * q[1] + c];
		if (fp === 0) found.push(p);
		else if (fp * fq < 0) {
			const s = fp / (fp - fq);
			found.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
		}
	}
	if (found.length < 2) return null;
	ends = [found[0], found.at(-1)];
	if (found.length > 2 && Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]) === 0)
		ends[1] = found[1];
	return ends;
}

// A convex polygon cut down to where a·x + b·y + c ≥ 0.
export function clipPolygon(polygon, [a, b, c]) {
	const kept = [];
	for (let i = 0; i < polygon.length; i += 1) {
		const [p, q] = [polygon[i], polygon[(i + 1) % polygon.length]];
		const [fp, fq] = [a * p[0] + b * p[1] + c, a * q[0] + b * q[1] + c];
		if (fp >= 0) kept.push(p);
		if ((fp > 0 && fq < 0) || (fp < 0 && fq > 0)) {
			const s = fp / (fp - fq);
			kept.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
		}
	}
	return kept;
}

export function boxCorners([x0, x1, y0, y1]) {
	return [
		[x0, y0],
		[x1, y0],
		[x1, y1],
		[x0, y1],
	];
}
