// The space of the weights: w is a point that moves, each example allows one side of a line.
import {boundsOf, boxCorners, clipPolygon, segmentInBox} from "../engine/geometry.js";
import {figure} from "../engine/numbers.js";
import {classColour, thinned} from "./appearance.js";
import {Frame, weightNames} from "./frame.js";
import {arrow, inked, line} from "./pen.js";

const MOST_LINES = 400;
const TRAIL = 60;
const ABOUT_CLASSES =
	"One point for each class's weight vector (bias left out). " +
	"An update moves the right class towards x and the wrong one away from it.";
const ABOUT_LINES =
	"Each line is an example: w must be on its coloured side. " +
	"A shaded area satisfies all of them; once w is inside, learning stops.";

function placesOf(ledger, place, from, to) {
	const path = [];
	for (let i = from; i <= to; i += 1) path.push(ledger.weights(i, place).slice(0, 2));
	return path;
}

// All positions of the run fit, so that the picture does not jump while w moves.
function weightBox(ledger) {
	if (ledger.weightBox) return ledger.weightBox;
	let box = [0, 0, 0, 0];
	for (let place = 0; place < ledger.run.vectors; place += 1)
		box = boundsOf(placesOf(ledger, place, 0, ledger.length), box);
	const [x0, x1, y0, y1] = box;
	const room = 0.15 * Math.max(x1 - x0, y1 - y0) || 1;
	ledger.weightBox = [x0 - room, x1 + room, y0 - room, y1 + room];
	return ledger.weightBox;
}

// What one example asks of the first two weights while all others stay as they are.
function demandOf(x, sign, weights) {
	let rest = weights.at(-1);
	for (let i = 2; i < x.length; i += 1) rest += weights[i] * x[i];
	return [sign * x[0], sign * x[1], sign * rest];
}

export function weightSpaceWords(scene) {
	const {ledger, k, data} = scene;
	if (!ledger || ledger.run.vectors === 0)
		return "A kernel learner has no weights to draw: it keeps the points it was wrong about.";
	if (ledger.run.vectors > 1) return ABOUT_CLASSES;
	const names = weightNames(data).slice(2);
	if (ledger.hasBias) names.push("b");
	const w = ledger.weights(k);
	const values = names.map((name, i) => `${name} = ${figure(w[i + 2])}`).join(", ");
	const held = values && ` Not drawn, held at their present values: ${values}.`;
	const trail = ledger.length > TRAIL ? ` The path is that of the last ${TRAIL} updates.` : "";
	return ABOUT_LINES + trail + held;
}

export function drawWeightSpace(pen, width, height, scene) {
	const {ledger, k, theme, data, textSize} = scene;
	if (!ledger || ledger.run.vectors === 0) return;
	const frame = new Frame(width, height, weightBox(ledger), {equal: true});
	const at = ledger.clip(k);
	const single = ledger.run.vectors === 1;
	const weights = ledger.weights(at);
	const update = ledger.update(at);
	const demands = single
		? ledger.features.map((x, i) => demandOf(x, data.labels[i] === 1 ? 1 : -1, weights))
		: [];
	if (single) {
		let area = boxCorners(frame.box);
		for (const demand of demands) if (area.length) area = clipPolygon(area, demand);
		frame.clipTo(pen, () => {
			const fill = thinned(theme, theme.ink, 0.14);
			if (area.length > 2) frame.path(pen, area, {fill, close: true});
		});
	}
	frame.drawAxes(pen, theme, weightNames(data), textSize);
	frame.clipTo(pen, () => {
		const stride = Math.max(1, Math.ceil(demands.length / MOST_LINES));
		demands.forEach((demand, i) => {
			const current = update && update.row === i;
			if (!current && i % stride) return;
			const ends = segmentInBox(demand, frame.box);
			if (!ends) return;
			const [p, q] = ends.map((end) => frame.at(end));
			const colour = classColour(theme, data.labels[i]);
			const alpha = demands.length > 60 && !current ? 0.35 : 1;
			line(pen, p, q, {stroke: colour, width: current ? 3 : 1.2, alpha});
			// Short strokes on the side that the example allows.
			const size = Math.hypot(demand[0] * frame.scale[0], demand[1] * frame.scale[1]) || 1;
			const [nx, ny] = [(demand[0] * frame.scale[0]) / size, (-demand[1] * frame.scale[1]) / size];
			const reach = current ? 12 : 7;
			for (let s = 0.08; s < 1 && demands.length <= 60; s += 0.12) {
				const m = [p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])];
				const away = [m[0] + reach * nx, m[1] + reach * ny];
				line(pen, m, away, {stroke: colour, width: current ? 2 : 1});
			}
		});
		for (let place = 0; place < ledger.run.vectors; place += 1) {
			const path = placesOf(ledger, place, Math.max(0, at - TRAIL), at).map((p) => frame.at(p));
			const colour = single ? theme.ink : classColour(theme, place);
			if (path.length > 1) pen.path(path, {stroke: single ? theme.faint : colour, width: 1.5});
			for (const p of path.slice(0, -1))
				pen.circle(...p, 2.5, {fill: single ? theme.faint : colour});
			const end = path.at(-1);
			const moved = update && (single || update.right === place || update.wrong === place);
			if (moved) {
				const from = frame.at(ledger.weights(at - 1, place));
				const length = Math.hypot(end[0] - from[0], end[1] - from[1]) || 1;
				// The head ends at the rim of the dot, where it is seen.
				const short = Math.min(8, length / 2) / length;
				const tip = end.map((value, axis) => value - (value - from[axis]) * short);
				arrow(pen, from, tip, {stroke: colour, width: 3});
			}
			pen.circle(...end, 6, {fill: colour, stroke: theme.paper, width: 2});
			const name = single ? "w" : scene.marks[place].letter;
			pen.text(end[0] + 9, end[1] - 8, name, inked(theme, textSize + 3, {bold: true}));
		}
	});
}
