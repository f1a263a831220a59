// The plane of the data: areas and lines of the answer, the points, and what the last update did.
import {boxCorners, clipPolygon, segmentInBox} from "../engine/geometry.js";
import {figure} from "../engine/numbers.js";
import {classColour, thinned} from "./appearance.js";
import {Labels} from "./labels.js";
import {drawMark} from "./marks.js";
import {drawScores, drawSum, drawTheory} from "./overlays.js";
import {arrow, CENTRED, inked, line, rectangle} from "./pen.js";

// Fewer points are drawn larger, and none too large for a small picture.
export function pointRadius(count, textSize, height) {
	const grown = (textSize / 11) * Math.min(1, Math.max(0.65, height / 360));
	return grown * (count <= 40 ? 10 : count <= 150 ? 7.5 : count <= 600 ? 4.5 : 3);
}

// Whether the page draws the boundary by itself: one line of two weights and a bias.
export function hasOwnLine(scene) {
	const {run} = scene.ledger;
	return run.vectors === 1 && scene.data.features.length === 2 && !run.votes;
}

// The line of some weights, where there are any and it crosses the picture.
function drawLine(pen, frame, weights, style) {
	const ends = weights && segmentInBox(weights, frame.box);
	if (ends) frame.path(pen, ends, style);
}

// What lies under the points: the areas of the classes at this position.
export function drawAreas(pen, frame, scene) {
	const {ledger, k, theme, contour} = scene;
	if (!ledger) return;
	frame.clipTo(pen, () => {
		if (scene.show.includes("score") && ledger.run.vectors && !ledger.run.votes) {
			drawScores(pen, frame, scene);
			return;
		}
		if (hasOwnLine(scene)) {
			const weights = ledger.answers(k) ?? ledger.weights(k);
			if (!weights.some((value) => value !== 0)) return;
			const sides = [weights.map((value) => -value), weights];
			for (const [place, side] of sides.entries()) {
				const part = clipPolygon(boxCorners(frame.box), side);
				const fill = thinned(theme, classColour(theme, place));
				if (part.length > 2) frame.path(pen, part, {fill, close: true});
			}
			return;
		}
		for (const region of contour?.regions ?? []) {
			const rings = region.rings.map((ring) => ring.map((p) => frame.at(p)));
			pen.rings(rings, {fill: thinned(theme, classColour(theme, region.class))});
		}
	});
}

// Points that are held out are hollow.
function drawPoint(pen, frame, {data, marks, theme, heldOut}, i, radius) {
	const mark = marks[data.labels[i]];
	const stroke = classColour(theme, mark.place);
	const hollow = {fill: theme.paper, stroke, width: Math.max(1.5, radius / 5)};
	drawMark(pen, ...frame.at(data.rows[i]), radius, mark, theme, heldOut.has(i) ? hollow : {});
}

export function drawPoints(pen, frame, scene) {
	const {rows} = scene.data;
	const radius = pointRadius(rows.length, scene.textSize, frame.height);
	frame.clipTo(pen, () => {
		for (const i of rows.keys()) drawPoint(pen, frame, scene, i, radius);
	});
}

// Points that are predicted wrongly are crossed out. Few enough points keep their letter: the cross
// is seen around it.
function drawWrong(pen, frame, scene) {
	const {wrong, data, theme, textSize} = scene;
	const few = data.rows.length <= 600;
	const radius = pointRadius(data.rows.length, textSize, frame.height);
	const reach = few ? 0.95 * radius + 5 : 0.75 * radius + 3;
	const crosses = wrong.flatMap((i) => {
		const [x, y] = frame.at(data.rows[i]);
		const corner = (right, down) => [x + right * reach, y + down * reach];
		return [
			[corner(-1, -1), corner(1, 1)],
			[corner(-1, 1), corner(1, -1)],
		];
	});
	// With many points a rim around the crosses would hide what is under them.
	if (few) pen.strokes(crosses, {stroke: theme.paper, width: 5});
	pen.strokes(crosses, {stroke: theme.alarm, width: few ? 2.5 : 1});
	if (few) for (const i of wrong) drawPoint(pen, frame, scene, i, radius);
}

function drawConflict(pen, frame, scene) {
	const {conflict} = scene.theory ?? {};
	if (!conflict?.point || scene.data.mapped) return;
	const {theme, textSize, data} = scene;
	const radius = pointRadius(data.rows.length, textSize, frame.height);
	const kinds = new Map();
	for (const row of conflict.rows) {
		const label = data.labels[row];
		kinds.set(label, [...(kinds.get(label) ?? []), row]);
		const ring = {stroke: theme.alarm, width: 2, dash: [3, 3]};
		pen.circle(...frame.at(data.rows[row]), radius + 4, ring);
	}
	// Two points of one class span a stretch, three a triangle: the meeting place lies in each of
	// them. Without a bias it is the origin, reached by points turned to the other side of it.
	for (const rows of kinds.values()) {
		const style = {stroke: theme.alarm, width: 1.5, dash: [3, 3], close: rows.length > 2};
		const corners = rows.map((row) => data.rows[row]);
		if (scene.hasBias && rows.length > 1) frame.path(pen, corners, style);
	}
	const [x, y] = frame.at(conflict.point);
	const style = {stroke: theme.alarm, width: 3};
	line(pen, [x - 7, y - 7], [x + 7, y + 7], style);
	line(pen, [x - 7, y + 7], [x + 7, y - 7], style);
}

// How often each point was used, where the count finds room beside it.
function drawDuals(pen, {ledger, k, data, theme, textSize}, labels, reach) {
	if (data.rows.length > 80) return;
	const {uses} = ledger.duals(k);
	const sides = [
		[1, -1],
		[1, 1],
		[-1, -1],
		[-1, 1],
	];
	data.rows.forEach((row, i) => {
		if (!uses[i]) return;
		const words = `×${uses[i]}`;
		const across = reach(i) + 2 + words.length * textSize * 0.31;
		const [x, y] = labels.frame.at(row);
		const middles = sides.map(([right, down]) => [x + right * across, y + down * (reach(i) - 1)]);
		labels.write(pen, words, middles, inked(theme, textSize, {...CENTRED, bold: true}));
	});
}

function drawNormal(pen, frame, scene, weights) {
	const ends = segmentInBox(weights, frame.box);
	if (!ends) return;
	const {theme, textSize} = scene;
	const [p, q] = ends.map((end) => frame.at(end));
	const middle = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
	const [dx, dy] = [weights[0] * frame.scale[0], -weights[1] * frame.scale[1]];
	const length = Math.hypot(dx, dy);
	if (!(length > 0)) return;
	const reach = Math.min(46, Math.min(...frame.inner) / 5);
	const tip = [middle[0] + (dx / length) * reach, middle[1] + (dy / length) * reach];
	arrow(pen, middle, tip, {stroke: theme.ink, width: 2});
	const style = inked(theme, textSize + 2, CENTRED);
	pen.text(tip[0] + (dx / length) * 10, tip[1] + (dy / length) * 10, "w", style);
}

// What lies over the points: the lines before and after, the point just used, selections.
export function drawUpdate(pen, frame, scene) {
	const {ledger, k, theme, data, textSize, contour, contourBefore} = scene;
	frame.clipTo(pen, () => {
		drawConflict(pen, frame, scene);
		if (!ledger) return;
		if (scene.show.includes("theory")) drawTheory(pen, frame, scene);
		drawWrong(pen, frame, scene);
		const row = scene.visit ? scene.visit.row : ledger.update(k)?.row;
		const radius = pointRadius(data.rows.length, textSize, frame.height);
		const reach = (i) => radius + (i === row ? 10 : 0);
		const labels = new Labels(frame, data.rows, reach);
		if (hasOwnLine(scene)) {
			const before = scene.moved ? ledger.weights(k - 1) : null;
			const [after, mean] = [ledger.weights(k), ledger.answers(k)];
			drawLine(pen, frame, before, {stroke: theme.faint, width: 2, dash: [7, 6]});
			drawLine(pen, frame, after, {stroke: theme.ink, width: mean ? 1.5 : 2.5});
			drawLine(pen, frame, mean, {stroke: theme.ink, width: 4});
			if (!drawSum(pen, frame, scene, labels)) drawNormal(pen, frame, scene, after);
		} else {
			for (const points of (scene.moved && contourBefore?.lines) || [])
				frame.path(pen, points, {stroke: theme.faint, width: 1.8, dash: [7, 6]});
			for (const points of contour?.lines ?? [])
				frame.path(pen, points, {stroke: theme.ink, width: 2.5});
		}
		if (data.rows[row]) {
			const at = frame.at(data.rows[row]);
			pen.circle(...at, radius + 9, {stroke: theme.paper, width: 6});
			pen.circle(...at, radius + 9, {stroke: theme.ink, width: 3});
			if (radius < 7) drawMark(pen, ...at, 9, scene.marks[data.labels[row]], theme);
		}
		drawDuals(pen, scene, labels, reach);
	});
}

// The selected point and the keyboard's cursor: only on the page, never in a saved picture.
export function drawCursor(pen, frame, {theme, data, textSize, selected, cursor, holding}) {
	frame.clipTo(pen, () => {
		if (selected !== null && data.rows[selected]) {
			const [x, y] = frame.at(data.rows[selected]);
			const r = pointRadius(data.rows.length, textSize, frame.height) + 5;
			const style = {stroke: theme.ink, width: 2, dash: holding ? [4, 3] : null};
			rectangle(pen, [x - r, y - r], [x + r, y + r], style);
		}
		if (cursor) {
			const [x, y] = frame.at(cursor);
			const cross = (style) => {
				line(pen, [x - 13, y], [x + 13, y], style);
				line(pen, [x, y - 13], [x, y + 13], style);
			};
			cross({stroke: theme.paper, width: 5});
			cross({stroke: theme.alarm, width: 2});
		}
	});
}

export function planeWords({data, ledger, k, marks, wrong}) {
	const sizeOf = ({place}) => data.labels.filter((label) => label === place).length;
	const share = marks.map((mark) => `${sizeOf(mark)} of class ${mark.name}`).join(", ");
	const weights = ledger && ledger.run.vectors === 1 ? ledger.weights(k) : null;
	const missed = wrong.length ? ` ${wrong.length} of them predicted wrongly.` : "";
	const plane = `Plane with ${data.rows.length} points: ${share}.${missed}`;
	if (!weights || data.features.length !== 2) return plane;
	const [a, b] = data.columns.map((name, i) => `${figure(weights[i])}·${name}`);
	return `${plane} The line is ${a} + ${b} + ${figure(weights[2])} = 0.`;
}
