// The point of a convex hull that is nearest to the origin (Wolfe 1976). It decides everything:
// its length is the largest margin; if it is not 0 it separates; if it is 0, its weights are a
// conflict.
import {conflictWeights, floats, inner, quotient, rootBelow, settled, whole} from "./exact.js";

// So many points are solved for exactly, more where one solution is enough; and so many numbers
// multiplied exactly.
const [MOST_POINTS, MOST_IN_CONFLICT] = [24, 64];
const MOST_PRODUCTS = 4_000_000;

// The rows of two classes, those of the first turned over: y·(x, 1).
export class SignedHull {
	constructor(Z, signs, size) {
		const n = signs.length;
		this.points = new Float64Array(n * size);
		for (let i = 0; i < n * size; i++) this.points[i] = signs[Math.floor(i / size)] * Z[i];
		Object.assign(this, {n, size, scale: largestOf(this.points)});
	}

	point(key) {
		return this.points.subarray(key * this.size, (key + 1) * this.size);
	}

	keys() {
		return Array.from({length: this.n}, (_, i) => i);
	}

	lowest(p) {
		let [key, least] = [-1, Infinity];
		for (let i = 0; i < this.n; i++) {
			let product = 0;
			for (let j = 0; j < this.size; j++) product += this.points[i * this.size + j] * p[j];
			if (product < least) [key, least] = [i, product];
		}
		return [key, least];
	}

	get numbers() {
		this.written ??= whole(this.points);
		return this.written;
	}

	whole(keys) {
		return keys.map((key) => this.numbers[0].slice(key * this.size, (key + 1) * this.size));
	}

	lowestExactly(p) {
		const [numbers] = this.numbers;
		let [key, least] = [-1, null];
		for (let i = 0; i < this.n; i++) {
			let product = 0n;
			for (let j = 0; j < this.size; j++) product += numbers[i * this.size + j] * p[j];
			if (least === null || product < least) [key, least] = [i, product];
		}
		return [key, least];
	}
}

// Every row against every wrong class: the row in the place of the right one, less it in that of
// the other (Kesler's construction). A key is row · classes + wrong class.
export class PairHull {
	constructor(Z, labels, k, width) {
		Object.assign(this, {Z, labels, k, width, size: k * width, n: labels.length * (k - 1)});
		this.scale = largestOf(Z);
	}

	place(out, key, values, minus) {
		const [row, wrong] = [Math.floor(key / this.k), key % this.k];
		for (let j = 0; j < this.width; j++) {
			const value = values[row * this.width + j];
			out[this.labels[row] * this.width + j] = value;
			out[wrong * this.width + j] = minus(value);
		}
		return out;
	}

	point(key) {
		return this.place(new Float64Array(this.size), key, this.Z, (value) => -value);
	}

	keys() {
		const all = Array.from({length: this.labels.length * this.k}, (_, key) => key);
		return all.filter((key) => key % this.k !== this.labels[Math.floor(key / this.k)]);
	}

	get numbers() {
		this.written ??= whole(this.Z);
		return this.written;
	}

	whole(keys) {
		const zeros = () => new Array(this.size).fill(0n);
		return keys.map((key) => this.place(zeros(), key, this.numbers[0], (value) => -value));
	}

	lowestOf(values, p, zero) {
		const {k, width, labels} = this;
		let [key, least] = [-1, null];
		for (let row = 0; row < labels.length; row++) {
			const scores = [];
			for (let c = 0; c < k; c++) {
				let sum = zero;
				for (let j = 0; j < width; j++) sum += values[row * width + j] * p[c * width + j];
				scores.push(sum);
			}
			for (let c = 0; c < k; c++) {
				const product = scores[labels[row]] - scores[c];
				if (c !== labels[row] && (least === null || product < least))
					[key, least] = [row * k + c, product];
			}
		}
		return [key, least];
	}

	lowest(p) {
		return this.lowestOf(this.Z, p, 0);
	}

	lowestExactly(p) {
		return this.lowestOf(this.numbers[0], p, 0n);
	}
}

function largestOf(values) {
	let largest = 0;
	for (const value of values) largest = Math.max(largest, Math.abs(value));
	return largest || 1;
}

// Weights of sum 1, of any sign, of the combination nearest to the origin, in floats; null if the
// points depend on each other.
function affineWeights(points) {
	const n = points.length;
	const product = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
	const table = points.map((a) => [...points.map((b) => product(a, b)), -1, 0]);
	table.push([...new Array(n).fill(1), 0, 1]);
	for (let column = 0; column <= n; column++) {
		let best = column;
		for (let i = column; i <= n; i++)
			if (Math.abs(table[i][column]) > Math.abs(table[best][column])) best = i;
		if (!(Math.abs(table[best][column]) > 1e-14)) return null;
		[table[column], table[best]] = [table[best], table[column]];
		for (let i = 0; i <= n; i++) {
			if (i === column) continue;
			const share = table[i][column] / table[column][column];
			if (share) for (let j = column; j <= n + 1; j++) table[i][j] -= share * table[column][j];
		}
	}
	return Array.from({length: n}, (_, i) => table[i][n + 1] / table[i][i]);
}

// A walk in floats towards the nearest point: the members of its corral, with their weights.
function nearestInFloats(hull) {
	const scaled = (key) => Array.from(hull.point(key), (value) => value / hull.scale);
	const length = (key) => scaled(key).reduce((sum, value) => sum + value * value, 0);
	const first = hull.keys().reduce((a, b) => (length(b) < length(a) ? b : a));
	let corral = [{key: first, at: scaled(first), weight: 1}];
	const mean = () =>
		corral[0].at.map((_, j) => corral.reduce((sum, {at, weight}) => sum + weight * at[j], 0));
	for (let round = 0; round < 500; round++) {
		const p = mean();
		const squared = p.reduce((sum, value) => sum + value * value, 0);
		const [key, product] = hull.lowest(p);
		if (squared < 1e-28 || product / hull.scale >= squared * (1 - 1e-12)) break;
		if (corral.some((member) => member.key === key)) break;
		corral.push({key, at: scaled(key), weight: 0});
		if (!settleInFloats(corral)) break;
		corral = corral.filter(({weight}) => weight > 0);
	}
	return corral.filter(({weight}) => weight > 0 || corral.length === 1);
}

// Walk to the nearest point of the plane through all; those it leaves behind get the weight 0.
function settleInFloats(corral) {
	// Every round but the last drops a point, unless rounding keeps it: then nothing is settled.
	for (let round = 0; round <= corral.length; round++) {
		const members = corral.filter(({weight}, i) => weight > 0 || i === corral.length - 1);
		const goal = affineWeights(members.map(({at}) => at));
		if (!goal?.every(Number.isFinite)) return false;
		const falling = members.map((member, i) => ({member, aim: goal[i]}));
		if (goal.every((aim) => aim > 1e-14)) {
			for (const {member, aim} of falling) member.weight = aim;
			return true;
		}
		let part = 1;
		for (const {member, aim} of falling)
			if (aim <= 1e-14) part = Math.min(part, member.weight / (member.weight - aim || 1e-300));
		for (const {member, aim} of falling) {
			const moved = member.weight + part * (aim - member.weight);
			member.weight = moved > 1e-14 && !(aim <= 1e-14 && part === 0) ? moved : 0;
		}
		if (corral.at(-1).weight === 0) return true;
	}
	return false;
}

// What the nearest point proves: {conflict: [[key, share], …], total}, or {margin, direction},
// where the margin is null if it is not known; or null if nothing is proven. `scaled` has the
// same points with every column divided by a number: where columns differ much in size, floats
// need it.
export function nearest(hull, scaled) {
	return (
		proven(hull, nearestInFloats(hull)) ??
		proven(
			hull,
			nearestInFloats(scaled.hull),
			Array.from(scaled.by, (number) => 1 / number),
		)
	);
}

function proven(hull, corral, back) {
	let keys = corral.map(({key}) => key);
	let weights = corral.map(({weight}) => weight);
	if (keys.length <= MOST_IN_CONFLICT) {
		const found = conflictWeights(hull.whole(keys));
		if (found) return {conflict: keys.map((key, i) => [key, found.shares[i]]), total: found.total};
	}
	let [separator, left] = [null, MOST_PRODUCTS];
	const seen = new Set();
	while (keys.length <= MOST_POINTS && left > 0) {
		left -= hull.n * hull.size;
		const found = settled(hull.whole(keys), weights);
		if (!found) break;
		keys = found.places.map((place) => keys[place]);
		const points = hull.whole(keys);
		const mean = points[0].map((_, j) =>
			inner(
				found.shares,
				points.map((point) => point[j]),
			),
		);
		if (mean.every((value) => value === 0n))
			return {conflict: keys.map((key, i) => [key, found.shares[i]]), total: found.total};
		const [key, product] = hull.lowestExactly(mean);
		const squared = inner(mean, mean);
		if (product > 0n) separator = measured(hull, mean, product, squared);
		if (product * found.total >= squared) return separator;
		const name = [...keys].sort((a, b) => a - b).join();
		if (keys.includes(key) || seen.has(name)) break;
		seen.add(name);
		weights = [...found.shares.map((share) => quotient(share, found.total)), 0];
		keys = [...keys, key];
	}
	return separator ? {...separator, margin: null} : inFloats(hull, corral, back);
}

// The products have the unit of the points; those with the mean have it twice.
function measured(hull, mean, product, squared) {
	const unit = BigInt(hull.numbers[1]);
	const margin = rootBelow(product * product, squared << (2n * unit));
	return {margin, direction: unitVector(floats(mean))};
}

// A direction that is checked exactly; its margin is that of floats, or not known of other units.
function inFloats(hull, corral, back) {
	const p = Array.from(corral[0].at, (_, j) =>
		corral.reduce((sum, {at, weight}) => sum + weight * at[j], 0),
	);
	const direction = unitVector(back ? p.map((value, j) => value * back[j % back.length]) : p);
	if (!direction.every(Number.isFinite)) return null;
	const [numbers] = whole(direction);
	const [, product] = hull.lowestExactly(numbers);
	if (product <= 0n) return null;
	return {margin: back ? null : hull.lowest(direction)[1], direction};
}

function unitVector(vector) {
	const length = Math.hypot(...vector);
	return Float64Array.from(vector, (value) => value / length);
}
