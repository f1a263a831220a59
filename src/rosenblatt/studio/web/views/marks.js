// Shapes and letters of the classes: the same as in the library's own pictures.
import {boxCorners} from "../engine/geometry.js";
import {shortened} from "../engine/numbers.js";
import {channels, classColour} from "./appearance.js";
import {svgNode} from "./dom.js";
import {CENTRED} from "./pen.js";

// Ink for a letter on a colour: whichever of black and white is seen better.
function inkOn(colour) {
	const [r, g, b] = channels(colour).map((c) =>
		c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
	);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000000" : "#ffffff";
}

function regular(corners, turn) {
	return Array.from({length: corners}, (_, i) => {
		const angle = turn + (2 * Math.PI * i) / corners;
		return [Math.cos(angle), Math.sin(angle)];
	});
}

function spun(corners, angle) {
	const [c, s] = [Math.cos(angle), Math.sin(angle)];
	return corners.map(([x, y]) => [c * x - s * y, s * x + c * y]);
}

// A quarter of it, turned to all four sides.
const CROSS = [0, 1, 2, 3].flatMap((quarter) =>
	spun(boxCorners([-0.54, 0.54, -1.08, -0.54]).slice(0, 3), (quarter * Math.PI) / 2),
);
const SQUARE = boxCorners([-0.88, 0.88, -0.88, 0.88]);
const TRIANGLE = regular(3, -Math.PI / 2).map(([x, y]) => [x * 1.25, y * 1.25 + 0.12]);
// Circle, square, triangles, diamond, plus, cross, pentagon, in the order of the library's markers.
const SHAPES = [
	null,
	SQUARE,
	TRIANGLE,
	spun(SQUARE, Math.PI / 4),
	spun(TRIANGLE, Math.PI),
	CROSS,
	spun(CROSS, Math.PI / 4),
	spun(TRIANGLE, -Math.PI / 2),
	regular(5, -Math.PI / 2).map(([x, y]) => [x * 1.1, y * 1.1]),
	spun(TRIANGLE, Math.PI / 2),
];

function shapeOf(place, x, y, radius) {
	const corners = SHAPES[place % SHAPES.length];
	return corners?.map(([a, b]) => [x + a * radius, y + b * radius]);
}

export function drawMark(pen, x, y, radius, mark, theme, given = {}) {
	const fill = classColour(theme, mark.place);
	const style = {fill, stroke: theme.paper, width: radius > 5 ? 1 : 0.5, ...given};
	const corners = shapeOf(mark.place, x, y, radius);
	if (corners) pen.path(corners, {...style, close: true});
	else pen.circle(x, y, radius, style);
	if (radius >= 7) {
		const size = radius * (mark.letter.length > 1 ? 0.95 : 1.25);
		pen.text(x, y, mark.letter, {fill: inkOn(style.fill), size, ...CENTRED});
	}
}

// A class as a small picture beside its name.
export function markIcon(mark, theme) {
	const fill = classColour(theme, mark.place);
	const corners = shapeOf(mark.place, 10, 10, 8);
	const points = corners?.map((p) => p.map((v) => v.toFixed(2)).join(",")).join(" ");
	const circle = {cx: 10, cy: 10, r: 8, fill};
	const shape = corners ? svgNode("polygon", {points, fill}) : svgNode("circle", circle);
	const font = {"font-size": mark.letter.length > 1 ? 9 : 11, "font-weight": "bold"};
	const place = {x: 10, y: 14, "text-anchor": "middle"};
	const letter = svgNode("text", {...place, ...font, fill: inkOn(fill)}, mark.letter);
	const size = {viewBox: "-1 -1 22 22", width: 20, height: 20};
	return svgNode("svg", {...size, "aria-hidden": "true", class: "mark"}, shape, letter);
}

const MINUS_ONE = new Set(["-1", "−1", "-", "−"]);
const PLUS_ONE = new Set(["1", "+1", "+"]);

function lettersCounted(place) {
	const more = Math.floor(place / 26);
	return (more ? lettersCounted(more - 1) : "") + String.fromCharCode(65 + (place % 26));
}

// A mark for each class: its name, a letter of its own, its place among the classes.
export function marksOf(classes) {
	const signs = classes.length === 2 && MINUS_ONE.has(classes[0]) && PLUS_ONE.has(classes[1]);
	const names = signs ? ["−1", "+1"] : classes.map((name) => shortened(name));
	const firsts = names.map((name) => Array.from(name)[0]);
	const fits = (some) =>
		some.every((s) => Array.from(s).length <= 2) && new Set(some).size === some.length;
	const letters = signs ? ["−", "+"] : [names, firsts].find(fits);
	return classes.map((label, place) => {
		const letter = letters ? letters[place] : lettersCounted(place);
		return {place, name: names[place], letter, label};
	});
}
