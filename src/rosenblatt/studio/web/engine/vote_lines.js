// Where the votes of many lines change sign: pieces of those lines, each cut at its crossings with
// the others.
import {segmentInBox} from "./geometry.js";

// With more lines than this a grid is quicker.
const MOST_LINES = 300;

// The lines that have voted after `at` updates, each with its votes; equal ones are one. Null if
// they are too many. What has no line votes the same way everywhere (`still`).
export function voters(run, at) {
	const {weights, survived, learner, rows} = run;
	const size = rows.d + 1;
	const atZero = learner.ties === "positive" ? 1 : 0;
	const lines = new Map();
	let still = 0;
	for (let k = 0; k <= at; k++) {
		const w = Array.from(weights.subarray(k * size, (k + 1) * size));
		const length = Math.hypot(w[0], w[1]);
		if (length === 0) still += survived[k] * (w[2] > 0 ? 1 : w[2] < 0 ? -1 : atZero);
		else {
			const line = w.map((value) => value / length);
			const name = line.map((value) => value.toPrecision(12)).join();
			const known = lines.get(name) ?? {line, votes: 0};
			known.votes += survived[k];
			lines.set(name, known);
		}
		if (lines.size > MOST_LINES) return null;
	}
	return {lines: [...lines.values()].filter(({votes}) => votes > 0), still, atZero};
}

const side = ([a, b, c], [x, y]) => a * x + b * y + c;

// All votes on a point.
export function votesAt({lines, still, atZero}, point) {
	return lines.reduce((sum, {line, votes}) => {
		const value = side(line, point);
		return sum + votes * (value > 0 ? 1 : value < 0 ? -1 : atZero);
	}, still);
}

// Segments of the box on whose sides different classes win; `isPositive` says which has won.
export function voteLines(found, box, isPositive) {
	const {lines, still} = found;
	return lines.flatMap(({line, votes}, own) => {
		const ends = segmentInBox(line, box);
		if (!ends) return [];
		// Votes of the same line the other way round are taken off these.
		const turned = lines.find((other, i) => i !== own && isTurned(other.line, line));
		const net = votes - (turned?.votes ?? 0);
		if (net <= 0) return [];
		const [p, q] = ends;
		const crossings = [];
		let others = still;
		lines.forEach((other, i) => {
			if (i === own || other === turned) return;
			const [from, to] = [side(other.line, p), side(other.line, q)];
			const sign = from === 0 ? -Math.sign(to) : Math.sign(from);
			others += sign * other.votes;
			if (sign * to < 0) crossings.push([from / (from - to), -2 * sign * other.votes]);
		});
		crossings.sort(([one], [other]) => one - other);
		const place = (t) => [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
		const pieces = [];
		let start = null;
		for (const [t, change] of [[0, 0], ...crossings, [1, 0]]) {
			others += change;
			const isBoundary = t < 1 && isPositive(others + net) !== isPositive(others - net);
			if (isBoundary) start ??= t;
			else if (start !== null) {
				if (t > start) pieces.push([place(start), place(t)]);
				start = null;
			}
		}
		if (start !== null && start < 1) pieces.push([place(start), q]);
		return pieces;
	});
}

function isTurned(one, other) {
	return one.every(
		(value, i) => Math.abs(value + other[i]) <= 1e-12 * Math.max(1, Math.abs(value)),
	);
}
