// From numbers to places on a picture, and back; axes with round numbers.
import {figure, niceStep} from "../engine/numbers.js";
import {inked, line} from "./pen.js";

const SIDE = {left: 42, right: 16, top: 10, bottom: 24};

export class Frame {
	// `equal` keeps one unit equally long on both axes, so that w stands square on its line.
	constructor(width, height, box, {equal = false, side = SIDE} = {}) {
		this.width = width;
		this.height = height;
		this.left = side.left;
		this.top = side.top;
		this.inner = [
			Math.max(10, width - side.left - side.right),
			Math.max(10, height - side.top - side.bottom),
		];
		let [x0, x1, y0, y1] = box;
		const [sx, sy] = [this.inner[0] / (x1 - x0), this.inner[1] / (y1 - y0)];
		if (equal && sx / sy < 8 && sy / sx < 8) {
			const scale = Math.min(sx, sy);
			const extraX = (this.inner[0] / scale - (x1 - x0)) / 2;
			const extraY = (this.inner[1] / scale - (y1 - y0)) / 2;
			[x0, x1, y0, y1] = [x0 - extraX, x1 + extraX, y0 - extraY, y1 + extraY];
		}
		this.box = [x0, x1, y0, y1];
		this.scale = [this.inner[0] / (x1 - x0), this.inner[1] / (y1 - y0)];
	}

	x(value) {
		return this.left + (value - this.box[0]) * this.scale[0];
	}

	y(value) {
		return this.top + (this.box[3] - value) * this.scale[1];
	}

	at([x, y]) {
		return [this.x(x), this.y(y)];
	}

	back(px, py) {
		return [
			this.box[0] + (px - this.left) / this.scale[0],
			this.box[3] - (py - this.top) / this.scale[1],
		];
	}

	path(pen, points, style) {
		const places = points.map((p) => this.at(p));
		pen.path(places, style);
	}

	holds([x, y]) {
		const [x0, x1, y0, y1] = this.box;
		return x >= x0 && x <= x1 && y >= y0 && y <= y1;
	}

	clipTo(pen, draw) {
		pen.within(this.left, this.top, this.inner[0], this.inner[1], draw);
	}

	steps(textSize = 11) {
		const steps = [
			niceStep(this.box[1] - this.box[0], this.inner[0] / (textSize * 5)),
			niceStep(this.box[3] - this.box[2], this.inner[1] / (textSize * 4)),
		];
		const square = Math.abs(this.scale[0] / this.scale[1] - 1) < 1e-6;
		return square ? [steps[0], steps[0]] : steps;
	}

	drawAxes(
		pen,
		theme,
		names,
		textSize = 11,
		{zero = true, grid = true, labels = [figure, figure]} = {},
	) {
		const [x0, x1, y0, y1] = this.box;
		const [stepX, stepY] = this.steps(textSize);
		const [bottom, right] = [this.top + this.inner[1], this.left + this.inner[0]];
		const quiet = {fill: theme.faint, size: textSize};
		for (const value of ticksBetween(x0, x1, stepX)) {
			const px = this.x(value);
			if (grid) line(pen, [px, this.top], [px, bottom], {stroke: theme.rule, width: 1});
			pen.text(px, bottom + textSize + 3, labels[0](value), {...quiet, align: "center"});
		}
		for (const value of ticksBetween(y0, y1, stepY)) {
			const py = this.y(value);
			if (grid) line(pen, [this.left, py], [right, py], {stroke: theme.rule, width: 1});
			pen.text(this.left - 5, py, labels[1](value), {...quiet, align: "right", middle: true});
		}
		const [px, py] = this.at([0, 0]);
		const style = {stroke: theme.faint, width: 1, alpha: 0.55};
		if (zero && x0 < 0 && x1 > 0) line(pen, [px, this.top], [px, bottom], style);
		if (zero && y0 < 0 && y1 > 0) line(pen, [this.left, py], [right, py], style);
		pen.text(right - 5, bottom - 6, names[0], inked(theme, textSize, {align: "right"}));
		pen.text(this.left + 5, this.top + textSize, names[1], inked(theme, textSize));
	}
}

// In the formulas x is the point and y its class: columns without names of their own are x₁ and x₂.
export function axisNames({columns}) {
	return columns.join() === "x,y" ? ["x₁", "x₂"] : columns;
}

// The names of the weights, by those of the features.
export function weightNames({columns, features}) {
	if (columns.join() !== "x,y") return features.map((name) => `w[${name}]`);
	return features.map((_, i) => `w${"₁₂₃₄₅"[i]}`);
}

function ticksBetween(from, to, step) {
	const ticks = [];
	const last = to + step * 1e-9;
	for (let i = Math.ceil(from / step - 1e-9); i * step <= last && ticks.length < 100; i += 1)
		ticks.push(i * step === 0 ? 0 : Number((i * step).toPrecision(12)));
	return ticks;
}
