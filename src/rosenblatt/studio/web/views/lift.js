// The lift: the product x·y becomes a height, and what no line separates a plane may.
import {boundsOf, boxCorners} from "../engine/geometry.js";
import {classColour, thinned} from "./appearance.js";
import {axisNames} from "./frame.js";
import {drawMark} from "./marks.js";
import {CENTRED, line} from "./pen.js";
import {pointRadius} from "./plane.js";

const SQUARE = boxCorners([-1, 1, -1, 1]);
const HEIGHT = "The height is the product of the two columns";
const ZERO = "The grey plane is where the score is 0; the line on the floor is the same boundary.";
const FIVE = "The quadratic map has five features";

export function liftWords({data, ledger}) {
	const {length} = data.features;
	if (ledger && ledger.run.vectors !== 1) {
		return length > 3
			? `${FIVE}; only the product can be drawn as a height.`
			: `${HEIGHT}. Planes are drawn for two classes and a linear learner.`;
	}
	if (length > 3) return `${FIVE}, too many to draw; choose the product map to see its plane here.`;
	if (length === 3) return `${HEIGHT}, a third feature. ${ZERO}`;
	const upright = "This learner does not see it, so its plane stands upright";
	return `${HEIGHT}. ${upright}; choose the product map and it may lean.`;
}

function turned({yaw, pitch}) {
	const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
	return ([x, y, z]) => {
		const [a, b] = [cy * x - sy * y, sy * x + cy * y];
		return [a, sp * b - cp * z, -cp * b - sp * z];
	};
}

// The cut of the cube [-1, 1]³ with a plane, as a polygon around its middle.
function cubeCut([a, b, c, d]) {
	const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z])));
	const value = ([x, y, z]) => a * x + b * y + c * z + d;
	const found = [];
	for (const p of corners) {
		for (let axis = 0; axis < 3; axis += 1) {
			if (p[axis] !== -1) continue;
			const q = p.slice();
			q[axis] = 1;
			const [fp, fq] = [value(p), value(q)];
			if (fp * fq < 0 || (fp === 0) !== (fq === 0)) {
				const s = fp / (fp - fq);
				found.push(p.map((v, i) => v + s * (q[i] - v)));
			}
		}
	}
	if (found.length < 3) return [];
	const middle = [0, 1, 2].map((i) => found.reduce((sum, p) => sum + p[i], 0) / found.length);
	const size = Math.hypot(a, b, c);
	const n = [a / size, b / size, c / size];
	const helper = Math.abs(n[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0];
	const u = crossed(n, helper);
	const v = crossed(n, u);
	const angle = (p) => {
		const arm = p.map((t, i) => t - middle[i]);
		return Math.atan2(dot3(arm, v), dot3(arm, u));
	};
	return found.sort((p, q) => angle(p) - angle(q));
}

function crossed(p, q) {
	return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
}

function dot3(p, q) {
	return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

// The same boundary in the square below: where w₁x + w₂y + w₃xy + b is 0. It is solved for either
// coordinate, since a line may stand upright.
const SAMPLES = 95; // odd, so that no sample lies in the middle, where a crossing has no solution

function floorCurve(weights, hasProduct, [spanOfX, spanOfY]) {
	const [bent, b] = [hasProduct ? weights[2] : 0, weights.at(-1)];
	const solved = (along, across, spanX, spanY, place) => {
		const stretches = [[]];
		for (let i = 0; i <= SAMPLES; i += 1) {
			const t = (2 * i) / SAMPLES - 1;
			const at = spanX.middle + t * spanX.half;
			const found = -(along * at + b) / (across + bent * at);
			const s = (found - spanY.middle) / spanY.half;
			if (Math.abs(s) <= 1) stretches.at(-1).push(place(t, s));
			else if (stretches.at(-1).length) stretches.push([]);
		}
		return stretches;
	};
	return [
		...solved(weights[0], weights[1], spanOfX, spanOfY, (t, s) => [t, s]),
		...solved(weights[1], weights[0], spanOfY, spanOfX, (t, s) => [s, t]),
	].filter((stretch) => stretch.length > 1);
}

export function drawLift(pen, width, height, scene, turn) {
	const {data, ledger, theme, marks, textSize, k} = scene;
	const heights = data.rows.map(([x, y]) => x * y);
	const spans = [0, 1, 2].map((axis) => {
		const values = axis < 2 ? data.rows.map((row) => row[axis]) : heights;
		const [low, high] = boundsOf(values.map((value) => [value, 0]));
		const half = (high - low) / 2 || 1;
		return {middle: (high + low) / 2 || 0, half: half * 1.15};
	});
	const inCube = (row, z) =>
		[row[0], row[1], z].map((value, i) => (value - spans[i].middle) / spans[i].half);
	const turning = turned(turn);
	const scale = Math.min(width, height) * 0.28;
	const place = (p) => {
		const [x, y, depth] = turning(p);
		return [width / 2 + scale * x, height / 2 + scale * y, depth];
	};
	const flat = (p) => place(p).slice(0, 2);
	const [floor, ceiling] = [-1, 1].map((z) => SQUARE.map((corner) => flat([...corner, z])));
	const edge = {stroke: theme.rule, width: 1};
	const fill = thinned(theme, theme.ink, 0.04);
	pen.path(floor, {...edge, fill, width: 1.5, close: true});
	for (const [i, corner] of floor.entries()) line(pen, corner, ceiling[i], edge);
	pen.path(ceiling, {...edge, close: true});
	const axes = axisNames(data);
	const names = [
		[[1.25, -1, -1], axes[0]],
		[[-1, 1.25, -1], axes[1]],
		[[-1, -1, 1.2], axes.join("·")],
	];
	for (const [p, name] of names)
		pen.text(...flat(p), name, {fill: theme.ink, size: textSize + 1, ...CENTRED});

	const weights =
		ledger && ledger.run.vectors === 1 && data.features.length <= 3
			? (ledger.answers(k) ?? ledger.weights(k))
			: null;
	let cut = [];
	let score = null;
	if (weights) {
		const w = [weights[0], weights[1], data.features.length === 3 ? weights[2] : 0];
		const scaled = w.map((value, axis) => value * spans[axis].half);
		const rest =
			weights.at(-1) + w.reduce((sum, value, axis) => sum + value * spans[axis].middle, 0);
		if (scaled.some((value) => value !== 0)) {
			cut = cubeCut([...scaled, rest]);
			score = (p) => scaled[0] * p[0] + scaled[1] * p[1] + scaled[2] * p[2] + rest;
		}
	}
	if (weights) {
		const curve = {stroke: theme.ink, width: 2};
		for (const stretch of floorCurve(weights, data.features.length === 3, spans))
			pen.path(
				stretch.map((p) => flat([...p, -1])),
				curve,
			);
	}
	const update = ledger?.update(k);
	const radius = Math.min(9, pointRadius(data.rows.length, textSize, height));
	const points = data.rows
		.map((row, i) => {
			const p = inCube(row, heights[i]);
			const [px, py, depth] = place(p);
			return {i, px, py, depth, foot: flat([p[0], p[1], -1]), above: score ? score(p) > 0 : false};
		})
		.sort((p, q) => q.depth - p.depth);
	const drawOne = ({i, px, py, foot}) => {
		const stroke = classColour(theme, data.labels[i]);
		if (points.length <= 80) line(pen, foot, [px, py], {stroke, width: 1, alpha: 0.5});
		if (update && update.row === i) pen.circle(px, py, radius + 6, {stroke: theme.ink, width: 3});
		drawMark(pen, px, py, radius, marks[data.labels[i]], theme);
	};
	// Points behind the plane first: on the side away from the eye, which looks along the depth.
	const towards = cut.length ? Math.sign(score([0, 0, 0]) - score(backwards(turn))) : 0;
	const behind = points.filter((p) => cut.length && (p.above ? 1 : -1) !== towards);
	behind.forEach(drawOne);
	const sheet = {fill: theme.faint, stroke: theme.ink, width: 1.5, alpha: 0.45, close: true};
	if (cut.length) pen.path(cut.map(flat), sheet);
	const hidden = new Set(behind);
	points.filter((p) => !hidden.has(p)).forEach(drawOne);
}

// The direction of growing depth, in the cube's own axes.
function backwards({yaw, pitch}) {
	const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
	return [-sy * cp, -cy * cp, -sp];
}
