// What may be laid over the plane: the separator u with its margin γ and the radius R of the
// theorem, and the score as a map of colours.
import {boxCorners, clipPolygon, segmentInBox} from "../engine/geometry.js";
import {mapOf} from "../engine/mapped_rows.js";
import {dot} from "../engine/weights.js";
import {classColour, thinned} from "./appearance.js";
import {checkBox, el, labelled} from "./dom.js";
import {arrow, CENTRED, inked, rectangle} from "./pen.js";

const CHOICES = [
	["theory", "u, R and γ of the proof"],
	["score", "Score as colour"],
];
const [ACROSS, UP] = [72, 54];

export class Overlays {
	constructor(studio) {
		this.boxes = CHOICES.map(([name, words]) => {
			const box = checkBox(false, (isChecked) => {
				const others = shownOf(studio.state).filter((one) => one !== name);
				studio.state.show = [...others, ...(isChecked ? [name] : [])].join();
				studio.moved(true);
			});
			return {name, box, node: labelled(words, box, "field inline check")};
		});
		this.node = el(
			"div",
			{class: "row overlays", role: "group", "aria-label": "Also shown"},
			this.boxes.map(({node}) => node),
		);
		this.studio = studio;
	}

	show(isShown) {
		const {ledger, state, points} = this.studio;
		const run = ledger?.run;
		const flat = run?.vectors === 1 && points.features.length === 2;
		const can = {theory: flat && run.theory.separator, score: run?.vectors && !run.votes};
		this.node.hidden = !isShown;
		for (const {name, box, node} of this.boxes) {
			node.hidden = !can[name];
			box.checked = shownOf(state).includes(name);
		}
	}
}

export function shownOf(state) {
	return (state.show ?? "").split(",").filter(Boolean);
}

// R is that of the points with a 1 appended, where there is a bias: in the plane it is the length
// of the longest point. Between the two lines of the band lies no point.
export function drawTheory(pen, frame, {theory, ledger, theme, textSize, data}) {
	const {separator: u, margin, radius} = theory ?? {};
	if (!u || ledger.run.vectors !== 1 || data.features.length !== 2) return;
	const reach = ledger.hasBias ? Math.sqrt(Math.max(0, radius * radius - 1)) : radius;
	const style = inked(theme, textSize + 1, {bold: true});
	const [colour, dash] = [theme.palette[2], [5, 4]];
	const ring = Array.from({length: 97}, (_, i) => {
		const angle = (2 * Math.PI * i) / 96;
		return [reach * Math.cos(angle), reach * Math.sin(angle)];
	});
	frame.path(pen, ring, {stroke: theme.faint, width: 1.5, dash});
	const name = ledger.hasBias ? "longest x" : "R";
	const corner = reach * Math.SQRT1_2;
	pen.text(frame.x(corner) + 5, frame.y(corner) - 5, name, style);
	const side = (sign) => [sign * u[0], sign * u[1], sign * u[2] + margin];
	const band = clipPolygon(clipPolygon(boxCorners(frame.box), side(1)), side(-1));
	if (band.length > 2) frame.path(pen, band, {fill: colour, alpha: 0.16, close: true});
	for (const shift of [-margin, 0, margin]) {
		const ends = segmentInBox([u[0], u[1], u[2] + shift], frame.box);
		if (ends)
			frame.path(pen, ends, {stroke: colour, width: shift ? 1 : 2, dash: shift ? dash : null});
	}
	const square = u[0] ** 2 + u[1] ** 2;
	const foot = [(-u[2] * u[0]) / square, (-u[2] * u[1]) / square];
	const tip = [foot[0] + u[0], foot[1] + u[1]];
	arrow(pen, frame.at(foot), frame.at(tip), {stroke: colour, width: 2.5});
	pen.text(frame.x(tip[0]) + 6, frame.y(tip[1]) - 6, "u", {...style, fill: colour});
	const edge = (margin - u[2]) / square;
	pen.text(frame.x(edge * u[0]) + 4, frame.y(edge * u[1]) + textSize, "γ", {
		...style,
		fill: colour,
	});
}

// The surer, the stronger the colour; of several classes by how much the first is ahead.
export function drawScores(pen, frame, {ledger, k, data, theme, map}) {
	const {vectors} = ledger.run;
	const weights = Array.from(
		{length: vectors},
		(_, c) => ledger.answers(k, c) ?? ledger.weights(k, c),
	);
	const d = data.features.length;
	const {map: mapped} = mapOf(map, data.columns);
	const [x0, x1, y0, y1] = frame.box;
	const cells = [];
	let most = 0;
	for (let i = 0; i < UP; i++)
		for (let j = 0; j < ACROSS; j++) {
			const x = mapped(x0 + ((j + 0.5) / ACROSS) * (x1 - x0), y0 + ((i + 0.5) / UP) * (y1 - y0));
			const scores = weights.map((w) => dot(x, 0, w, 0, d, w[d]));
			const best = vectors === 1 ? Number(scores[0] > 0) : scores.indexOf(Math.max(...scores));
			const others = scores.filter((_, c) => c !== best);
			const lead = vectors === 1 ? Math.abs(scores[0]) : scores[best] - Math.max(...others);
			most = Math.max(most, lead);
			cells.push([i, j, best, lead]);
		}
	if (!most) return;
	const at = (i, j) => frame.at([x0 + (j / ACROSS) * (x1 - x0), y0 + (i / UP) * (y1 - y0)]);
	for (const [i, j, best, lead] of cells) {
		const share = 0.05 + (0.5 * Math.ceil((10 * lead) / most)) / 10;
		const [[left, bottom], [right, top]] = [at(i, j), at(i + 1, j + 1)];
		const fill = thinned(theme, classColour(theme, best), share);
		rectangle(pen, [left, bottom + 0.5], [right + 0.5, top], {fill});
	}
}

// The first of 1, 2, 5, 10, 20 … by which all of these must be divided to fit into the picture.
function divisorFor(frame, vectors) {
	const fits = (by) => vectors.every(([x, y]) => frame.holds([(1.06 * x) / by, (1.06 * y) / by]));
	for (let power = 1; power < 1e18; power *= 10)
		for (const factor of [1, 2, 5]) if (fits(factor * power)) return factor * power;
	return null;
}

// w as it is, from the origin; and how the last update made it: w before, and y·x (times the step)
// laid at its tip. False where the origin is not in the picture.
export function drawSum(pen, frame, {ledger, k, moved, theme, textSize, marks}, labels) {
	const after = ledger.weights(k);
	if (!frame.holds([0, 0]) || !after) return false;
	const update = moved ? ledger.update(k) : null;
	const before = update ? ledger.weights(k - 1) : null;
	const by = divisorFor(frame, before ? [before, after] : [after]);
	if (!by) return false;
	const place = ([x, y]) => frame.at([x / by, y / by]);
	const origin = frame.at([0, 0]);
	const over = by === 1 ? "" : ` ÷ ${by}`;
	const arrows = [];
	const drawn = (from, to, words, colour, width, middles) => {
		if (Math.hypot(to[0] - from[0], to[1] - from[1]) < 6) return;
		arrow(pen, from, to, {stroke: colour, width});
		labels.avoid(from, to);
		arrows.push({from, to, words, colour, middles});
	};
	const tip = place(after);
	if (before) {
		const sign = update.right === 1 ? "+" : "−";
		const step = update.step === 1 ? "" : "τ·";
		const colour = classColour(theme, marks[update.right].place);
		const words = ledger.run.rates ? "step" : `${sign}${step}x${over}`;
		drawn(origin, place(before), `w before${over}`, theme.faint, 2, "beside");
		drawn(place(before), tip, words, colour, 3, "beside");
	}
	drawn(origin, tip, `w${over}`, theme.ink, 3, "behind");
	// The shortest words first: they must be where their arrow is.
	const size = textSize + 1;
	for (const {from, to, words, colour, middles} of arrows.reverse()) {
		const style = {...inked(theme, size, CENTRED), fill: colour};
		labels.write(pen, words, labels[middles](words, size, from, to), style, {must: true});
	}
	return true;
}
