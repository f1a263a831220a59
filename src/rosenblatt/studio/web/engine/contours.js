// The plane divided among the classes, as lines and areas to draw.
import {bands} from "./bands.js";
import {conic} from "./conics.js";
import {boxCorners, clipPolygon} from "./geometry.js";
import {mapOf} from "./mapped_rows.js";
import {voteLines, voters, votesAt} from "./vote_lines.js";

// The work for one picture, and the cells each way that it may have.
const WORK = 3_000_000;
const [FEWEST, MOST, OF_FIELDS] = [40, 120, 56];

// Boundaries and areas after `at` updates. Exact are those of several linear classes and, of two
// classes, conics and the polygons of votes; all others come from scores on a grid.
export function contour(run, {map, columns}, at, box) {
	const {vectors} = run.rows;
	if (vectors > 1 && map === "none" && run.weights && !run.isVoted)
		return exactRegions(run, at, box);
	const exact = vectors === 1 && (ofConic(run, map, at, box) ?? ofVotes(run, map, at, box));
	if (exact) return exact;
	const fitting = Math.min(MOST, Math.max(FEWEST, Math.sqrt(WORK / run.cost(at))));
	const cells = run.fieldOn ? OF_FIELDS : Math.round(fitting);
	const [x0, x1, y0, y1] = box;
	const place = (low, high, i) => low + ((high - low) * i) / cells;
	const {map: mapped} = mapOf(map, columns);
	const points = [];
	for (let i = 0; i <= cells; i++)
		for (let j = 0; j <= cells; j++) points.push(mapped(place(x0, x1, j), place(y0, y1, i)));
	const votes = run.fieldOn ? fieldOn(run, points, box.join()).at(at) : null;
	const scores = points.map((x, i) =>
		votes ? votes.subarray(i * vectors, (i + 1) * vectors) : run.values(at, x),
	);
	const grid = {cells, x: (j) => place(x0, x1, j), y: (i) => place(y0, y1, i)};
	const found = {lines: [], regions: []};
	for (let c = 0; c < Math.max(2, vectors); c++) {
		const lead = scores.map((values) => leadOf(values, c));
		const {rings, lines} = marched(lead, grid);
		if (rings.length) found.regions.push({class: c, rings});
		// Of two classes the boundary of the one is that of the other.
		if (vectors > 1 || c === 1) found.lines.push(...lines);
	}
	return found;
}

// The numbers of a x + b y + c + d x² + e x y + f y², if the score is of that form.
function quadraticOf(run, map, at) {
	if (run.isVoted) return null;
	if (run.weights) {
		const [x, y, ...rest] = (run.answers ?? run.weights).slice(
			at * (run.rows.d + 1),
			(at + 1) * (run.rows.d + 1),
		);
		if (map === "product") return [x, y, rest[1], 0, rest[0], 0];
		return map === "quadratic" ? [x, y, rest[3], rest[0], rest[1], rest[2]] : null;
	}
	return map === "none" ? run.quadratic(at) : null;
}

function ofConic(run, map, at, box) {
	const numbers = quadraticOf(run, map, at);
	if (!numbers) return null;
	const [a, b, c, d, e, f] = numbers;
	const value = ([x, y]) => a * x + b * y + c + d * x * x + e * x * y + f * y * y;
	const lines = conic(numbers, box);
	return {lines, regions: bands(lines, box, (point) => Math.sign(value(point)))};
}

function ofVotes(run, map, at, box) {
	const found = run.isVoted && map === "none" ? voters(run, at) : null;
	if (!found) return null;
	const isPositive = (votes) => votes > 0 || (votes === 0 && run.learner.ties === "positive");
	const segments = voteLines(found, box, isPositive);
	const sign = (point) => {
		const votes = votesAt(found, point);
		return votes || at ? (isPositive(votes) ? 1 : -1) : 0;
	};
	return {lines: chained(segments), regions: bands(segments, box, sign)};
}

// Kept from step to step while the picture stays.
function fieldOn(run, points, key) {
	if (run.kept?.key !== key) run.kept = {key, field: run.fieldOn(Float64Array.from(points.flat()))};
	return run.kept.field;
}

// By how much a class is ahead of the best other.
function leadOf(values, c) {
	if (values.length === 1) return c === 1 ? values[0] : -values[0];
	let best = -Infinity;
	for (let k = 0; k < values.length; k++) if (k !== c && values[k] > best) best = values[k];
	return values[c] - best;
}

// The part of every cell where a function is above 0, cell by cell, joined along each row of cells;
// and the segments where it is 0.
function marched(values, {cells, x, y}) {
	const rings = [];
	const lines = [];
	for (let i = 0; i < cells; i++) {
		let start = null;
		const closeRun = (j) => {
			if (start !== null) rings.push(boxCorners([x(start), x(j), y(i), y(i + 1)]));
			start = null;
		};
		for (let j = 0; j < cells; j++) {
			const at = i * (cells + 1) + j;
			const corners = [values[at], values[at + 1], values[at + cells + 2], values[at + cells + 1]];
			if (corners.every((value) => value > 0)) {
				start ??= j;
				continue;
			}
			closeRun(j);
			if (corners.every((value) => value <= 0)) continue;
			const places = boxCorners([x(j), x(j + 1), y(i), y(i + 1)]);
			const ends = [];
			const ring = [];
			for (let c = 0; c < 4; c++) {
				const [p, q, fp, fq] = [places[c], places[(c + 1) % 4], corners[c], corners[(c + 1) % 4]];
				if (fp > 0) ring.push(p);
				if (fp > 0 === fq > 0) continue;
				const s = fp / (fp - fq);
				const crossed = [p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])];
				ring.push(crossed);
				ends.push(crossed);
			}
			rings.push(ring);
			for (let k = 0; k + 1 < ends.length; k += 2) lines.push([ends[k], ends[k + 1]]);
		}
		closeRun(cells);
	}
	return {rings, lines: chained(lines)};
}

// Segments that meet become one line, so that dashes run along it.
function chained(segments) {
	const name = (end) => end.map((value) => value.toPrecision(9)).join();
	const at = new Map();
	for (const segment of segments)
		for (const end of segment) at.set(name(end), [...(at.get(name(end)) ?? []), segment]);
	const used = new Set();
	const grow = (line) => {
		for (;;) {
			const end = name(line.at(-1));
			const next = at.get(end).find((segment) => !used.has(segment));
			if (!next) return;
			used.add(next);
			line.push(name(next[0]) === end ? next[1] : next[0]);
		}
	};
	const lines = [];
	for (const segment of segments) {
		if (used.has(segment)) continue;
		used.add(segment);
		const line = [...segment];
		grow(line);
		line.reverse();
		grow(line);
		lines.push(line);
	}
	return lines;
}

// The largest of several linear scores: convex polygons.
function exactRegions(run, at, box) {
	const {vectors, d} = run.rows;
	const flat = run.answers ?? run.weights;
	const size = d + 1;
	const weights = Array.from({length: vectors}, (_, c) => {
		const from = (at * vectors + c) * size;
		return flat.slice(from, from + size);
	});
	const found = {lines: [], regions: []};
	if (weights.every((w) => w.every((value, i) => value === weights[0][i]))) return found;
	const drawn = new Set();
	weights.forEach((own, c) => {
		let polygon = boxCorners(box);
		weights.forEach((other, k) => {
			const line = own.map((value, i) => value - other[i]);
			// Of two equal classes the first has the area.
			const equal = line.every((value) => value === 0);
			if (k === c || (equal && c < k)) return;
			polygon = equal ? [] : clipPolygon(polygon, line);
		});
		if (polygon.length < 3) return;
		found.regions.push({class: c, rings: [polygon]});
		polygon.forEach((p, i) => {
			const q = polygon[(i + 1) % polygon.length];
			const along = [0, 0, 1, 1].some(
				(axis, side) => p[axis] === box[side] && q[axis] === box[side],
			);
			const name = [p, q]
				.map((end) => end.map((v) => v.toPrecision(6)).join())
				.sort()
				.join(";");
			if (along || drawn.has(name)) return;
			drawn.add(name);
			found.lines.push([p, q]);
		});
	});
	return found;
}
