// Weight vectors and the one way they change, as the library's weights.h, rates.h and dense.h do
// it: the same operations in the same order, so that every bit is the same.

// No weight may go beyond; and no rate below.
const LIMIT = 1e150;
const LEAST_RATE = 1e-300;
const START_RATES = {variance: 1, gradient: 1e6};

// A dot product has eight lanes, and a bias counts as one more feature of value 1; lanes are
// added as (l0+l4)+(l2+l6) and (l1+l5)+(l3+l7), then these two. Rows of a page have at most seven
// features.
function summed(d, product, last) {
	const l = [0, 0, 0, 0, 0, 0, 0, 0];
	for (let k = 0; k < d; k++) l[k] = product(k);
	l[d] += last;
	return l[0] + l[4] + (l[2] + l[6]) + (l[1] + l[5] + (l[3] + l[7]));
}

export function dot(a, i, b, j, d, last) {
	if (d === 2) return a[i] * b[j] + last + (a[i + 1] * b[j + 1] + 0);
	if (d === 3) return a[i] * b[j] + a[i + 2] * b[j + 2] + (a[i + 1] * b[j + 1] + last);
	return summed(d, (k) => a[i + k] * b[j + k], last);
}

export class Weights {
	constructor(vectors, d, {fitIntercept, averaged = false, rates = null}) {
		Object.assign(this, {vectors, d, fitIntercept, rates});
		this.w = new Float64Array(vectors * d);
		this.b = new Float64Array(vectors);
		[this.t, this.averageFrom, this.reach] = [0, 0, 0];
		this.u = averaged ? new Float64Array(vectors * d) : null;
		this.ub = averaged ? new Float64Array(vectors) : null;
		this.rate = rates && new Float64Array(vectors * d).fill(START_RATES[rates]);
		this.biasRate = rates && new Float64Array(vectors).fill(START_RATES[rates]);
	}

	// Start from these: a row for each vector, its bias last.
	set(flat) {
		const {d} = this;
		for (let c = 0; c < this.vectors; c++) {
			for (let j = 0; j < d; j++) this.w[c * d + j] = flat[c * (d + 1) + j];
			this.b[c] = flat[c * (d + 1) + d];
		}
		this.reach = this.largest();
	}

	// Rows of the weights, the bias last in each, into a flat array.
	write(out, at, w = this.w, b = this.b) {
		const {d} = this;
		for (let c = 0; c < this.vectors; c++) {
			for (let j = 0; j < d; j++) out[at++] = w[c * d + j];
			out[at++] = b[c];
		}
	}

	score(X, row, c) {
		return dot(X, row * this.d, this.w, c * this.d, this.d, this.b[c]);
	}

	// The squared length of a row, or the variance of its score by a vector.
	length(X, row, c) {
		const {d} = this;
		const last = this.fitIntercept ? 1 : 0;
		if (this.rates !== "variance") return dot(X, row * d, X, row * d, d, last);
		const [i, j, r] = [row * d, c * d, this.rate];
		const bias = this.fitIntercept ? this.biasRate[c] : 0;
		return summed(d, (k) => X[i + k] * X[i + k] * r[j + k], bias);
	}

	largest() {
		let largest = 0;
		for (const part of [this.w, this.b])
			for (const value of part) largest = Math.max(largest, Math.abs(value));
		return largest;
	}

	withinReach(growth) {
		if (!(this.reach + growth <= LIMIT)) {
			this.reach = this.largest();
			if (!(this.reach + growth <= LIMIT)) return false;
		}
		this.reach += growth;
		return true;
	}

	limited(change) {
		return Math.min(change, LIMIT);
	}

	// Add `step` times a row to one vector, and to its running sum weighted by the counter.
	move(X, row, c, step, change, seenBefore) {
		const {d, w, b, u, ub} = this;
		const [i, j] = [row * d, c * d];
		if (this.rates) {
			this.moveWithRates(X, row, c, step, change, seenBefore - this.averageFrom);
			return;
		}
		const counted = (seenBefore - this.averageFrom) * step;
		for (let k = 0; k < d; k++) {
			w[j + k] += step * X[i + k];
			if (u) u[j + k] += counted * X[i + k];
		}
		if (!this.fitIntercept) return;
		b[c] += step;
		if (ub) ub[c] += counted;
	}

	// Each weight moves by its own rate, which falls.
	moveWithRates(X, row, c, step, change, counted) {
		const moved = (x, rates, at) => {
			const rate = rates[at];
			const scaled = x * rate;
			const smaller =
				this.rates === "variance"
					? rate / (1 + change * x * scaled)
					: rate / Math.sqrt(1 + change * scaled * scaled);
			rates[at] = Math.max(smaller, LEAST_RATE);
			return this.rates === "variance" ? step * scaled : step * x * rates[at];
		};
		const {d} = this;
		for (let k = 0, at = c * d; k < d; k++, at++) {
			const by = moved(X[row * d + k], this.rate, at);
			this.w[at] += by;
			if (this.u) this.u[at] += counted * by;
		}
		if (!this.fitIntercept) return;
		const by = moved(1, this.biasRate, c);
		this.b[c] += by;
		if (this.ub) this.ub[c] += counted * by;
	}

	// The mean over the examples since the average began: weights and biases.
	average() {
		const t = Math.max(this.t - this.averageFrom, 1);
		return [this.w.map((v, i) => v - this.u[i] / t), this.b.map((v, i) => v - this.ub[i] / t)];
	}

	// The examples seen, and the sum of the weights of the average after each.
	total() {
		const n = this.t - this.averageFrom;
		return [
			this.t,
			this.w.map((v, i) => v * n - this.u[i]),
			this.b.map((v, i) => v * n - this.ub[i]),
		];
	}

	beginAverage([t, total, biasTotal]) {
		const n = t - this.averageFrom;
		this.w.forEach((v, i) => {
			this.u[i] += total[i] - v * n;
		});
		this.b.forEach((v, i) => {
			this.ub[i] += biasTotal[i] - v * n;
		});
		this.averageFrom = t;
	}

	// The length of what was moved since the start, squared; four lanes each for weights and biases.
	squaredDistance(from) {
		const squares = (now, then) => {
			const lanes = [0, 0, 0, 0];
			now.forEach((value, i) => {
				const change = value - (then ? then[i] : 0);
				lanes[i & 3] += change * change;
			});
			return lanes[0] + lanes[2] + (lanes[1] + lanes[3]);
		};
		return squares(this.w, from?.w) + squares(this.b, from?.b);
	}
}
