// Whole numbers of any length: what floats suggest is proven here, or not claimed.

const bits = new DataView(new ArrayBuffer(8));

// A float as m · 2^e.
function parts(value) {
	bits.setFloat64(0, value);
	const high = bits.getUint32(0);
	const exponent = (high >>> 20) & 0x7ff;
	const mantissa = (high & 0xfffff) * 2 ** 32 + bits.getUint32(4);
	const m = BigInt(exponent ? mantissa + 2 ** 52 : mantissa);
	return [value < 0 ? -m : m, Math.max(exponent, 1) - 1075];
}

// Floats in whole numbers, and the power of 2 that all of them were multiplied by.
export function whole(values) {
	const all = Array.from(values, (value) => (value === 0 ? [0n, null] : parts(value)));
	const least = all.reduce((low, [, e]) => (e === null ? low : Math.min(low, e)), 0);
	const numbers = all.map(([m, e]) => (e === null ? 0n : m << BigInt(e - least)));
	return [numbers, -least];
}

function bitLength(number) {
	return (number < 0n ? -number : number).toString(16).length * 4;
}

// A quotient of two whole numbers as a float, to the last bit or nearly so.
export function quotient(n, d) {
	if (n === 0n) return 0;
	const shift = 70 - (bitLength(n) - bitLength(d));
	const scaled = shift >= 0 ? (n << BigInt(shift)) / d : n / (d << BigInt(-shift));
	// In two steps, since the power alone may be no float.
	const half = Math.trunc(shift / 2);
	return Number(scaled) * 2 ** -half * 2 ** -(shift - half);
}

function larger(a, b) {
	if (b > a) return b;
	return a;
}

// The same direction in floats, the largest entry 1.
export function floats(vector) {
	const largest = vector.map((v) => (v < 0n ? -v : v)).reduce(larger);
	return Float64Array.from(vector, (v) => (largest ? quotient(v, largest) : 0));
}

function squareRoot(n) {
	if (n < 2n) return n;
	let x = 1n << BigInt(Math.ceil(n.toString(16).length * 2) + 1);
	for (;;) {
		const next = (x + n / x) >> 1n;
		if (next >= x) return x;
		x = next;
	}
}

// The largest float that is not above the root of n/d.
export function rootBelow(n, d) {
	if (n <= 0n) return 0;
	const half = Math.max(0, 64 - Math.floor((bitLength(n) - bitLength(d)) / 2));
	const found = squareRoot((n << BigInt(2 * half)) / d);
	const length = bitLength(found);
	const drop = BigInt(Math.max(0, length - 62));
	let [m, e] = [found >> drop, Number(drop) - half];
	// Cut down to 53 bits: what is cut makes it smaller, never larger.
	while (m >= 2n ** 53n) [m, e] = [m >> 1n, e + 1];
	const part = Math.trunc(e / 2);
	return Number(m) * 2 ** part * 2 ** (e - part);
}

export function inner(a, b) {
	let sum = 0n;
	for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
	return sum;
}

// A basis of the solutions of Σ coefficient · unknown = 0 for all equations at once, in whole
// numbers (Bareiss: no fractions on the way).
function nullSpace(equations, n) {
	let left = equations.filter((e) => e.some((v) => v !== 0n));
	const pivots = [];
	let previous = 1n;
	for (let column = 0; column < n && left.length; column++) {
		const place = left.findIndex((e) => e[column] !== 0n);
		if (place < 0) continue;
		const [found] = left.splice(place, 1);
		const pivot = found[column];
		left = left
			.map((e) => e.map((v, j) => (pivot * v - e[column] * found[j]) / previous))
			.filter((e) => e.some((v) => v !== 0n));
		previous = pivot;
		pivots.push([column, found]);
	}
	const taken = new Set(pivots.map(([column]) => column));
	const basis = [];
	for (let free = 0; free < n; free++) {
		if (taken.has(free)) continue;
		const unknowns = Array.from({length: n}, (_, j) => (j === free ? 1n : 0n));
		for (const [column, equation] of [...pivots].reverse()) {
			// Everything found so far is multiplied, so that the next one is whole as well.
			const sum = inner(equation, unknowns);
			for (let j = 0; j < n; j++) unknowns[j] *= equation[column];
			unknowns[column] = -sum;
		}
		basis.push(unknowns);
	}
	return basis;
}

// Weights, up to a factor, with which points add up to 0, if there is one way only; else null.
function onlyWay(points) {
	const columns = Array.from(points[0], (_, j) => points.map((point) => point[j]));
	const ways = nullSpace(columns, points.length);
	return ways.length === 1 ? ways[0] : null;
}

// The weights of the affine combination nearest to 0, up to a common factor above 0, with their
// sum; null if the points depend on each other.
function affineMinimum(points) {
	const n = points.length;
	const equations = points.map((a) => [...points.map((b) => inner(a, b)), -1n]);
	// All points have the same product with it; the last unknown is that product.
	const ways = nullSpace(equations, n + 1);
	if (ways.length !== 1) return null;
	const found = ways[0].slice(0, n);
	const total = found.reduce((sum, v) => sum + v, 0n);
	if (total === 0n) return null;
	return {shares: total < 0n ? found.map((v) => -v) : found, total: total < 0n ? -total : total};
}

// From a mean of points to the nearest point of their hull: Wolfe's inner steps, exactly. The float
// weights only say which points to drop. {places, shares, total}, or null.
export function settled(points, weights) {
	let places = points.map((_, i) => i);
	let shares = Array.from(weights);
	for (let rounds = 0; rounds < 1000; rounds++) {
		const chosen = places.map((i) => points[i]);
		const found = affineMinimum(chosen);
		let goal;
		if (found) {
			if (found.shares.every((share) => share > 0n)) return {places, ...found};
			goal = found.shares.map((share) => quotient(share, found.total));
		} else {
			const way = onlyWay(chosen.map((point) => [...point, 1n]));
			if (!way) {
				places = [places[shares.indexOf(Math.max(...shares))]];
				shares = [1];
				continue;
			}
			// The same mean of fewer points.
			const largest = way.reduce(larger);
			if (largest <= 0n) return null;
			goal = way.map((share, i) => shares[i] - quotient(share, largest));
		}
		let [first, part] = [-1, Infinity];
		goal.forEach((aim, i) => {
			const ratio = aim < shares[i] ? Math.max(0, shares[i] / (shares[i] - aim)) : Infinity;
			if (ratio < part) [first, part] = [i, ratio];
		});
		if (first < 0) return null;
		const moved = shares.map((share, i) => share + part * (goal[i] - share));
		const stays = moved.map((share, i) => i !== first && share > 0);
		places = places.filter((_, i) => stays[i]);
		shares = moved.filter((_, i) => stays[i]);
		if (!places.length) return null;
	}
	return null;
}

// Positive weights with which the points add up to 0, and their sum; else null.
export function conflictWeights(points) {
	const way = onlyWay(points);
	if (!way) return null;
	const total = way.reduce((sum, v) => sum + v, 0n);
	if (!way.every((share) => share * total > 0n)) return null;
	return total < 0n ? {shares: way.map((v) => -v), total: -total} : {shares: way, total};
}
