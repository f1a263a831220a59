// A small Mark I: a retina, association units wired to it at random, and one response that learns.
import {button, el, labelled, press, setText, svgNode} from "../views/dom.js";

const SIDE = 5;
const WIRES = 4;
const CELLS = SIDE * SIDE;
const NAMES = {1: "upright", [-1]: "lying"};

// Numbers from 0 to 1 that are the same at every visit (mulberry32).
function randomFrom(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

// A bar of three cells somewhere on the retina, upright or lying.
function bar(random) {
	const upright = random() < 0.5;
	const along = Math.floor(random() * (SIDE - 2));
	const across = Math.floor(random() * SIDE);
	const picture = new Array(CELLS).fill(0);
	for (let i = along; i < along + 3; i += 1)
		picture[upright ? i * SIDE + across : across * SIDE + i] = 1;
	return {picture, y: upright ? 1 : -1};
}

function signed(number) {
	return String(number).replace("-", "−");
}

export class Retina {
	constructor(node) {
		this.random = randomFrom(7);
		const count = Number(node.dataset.units);
		this.units = Array.from({length: count}, () => this.wired());
		this.weights = new Float64Array(count + 1);
		[this.seen, this.mistakes, this.y] = [0, 0, null];
		this.recent = [];
		this.chosen = null;
		this.build(node.querySelector("div"));
		this.look(bar(this.random));
	}

	// Each unit fires if the sum over its four cells, with random signs, is above 0.
	wired() {
		const wires = [];
		for (let i = 0; i < WIRES; i += 1)
			wires.push([Math.floor(this.random() * CELLS), this.random() < 0.6 ? 1 : -1]);
		return wires;
	}

	heard(wires, picture) {
		return wires.reduce((sum, [cell, sign]) => sum + sign * picture[cell], 0);
	}

	fired(picture) {
		return [...this.units.map((wires) => Number(this.heard(wires, picture) > 0)), 1];
	}

	chosenWords() {
		if (this.chosen === null) return "";
		const sum = this.heard(this.units[this.chosen], this.picture);
		const then = sum > 0 ? "it fires" : "it rests";
		const heard = `hears ${signed(sum)} from its cells, so ${then}`;
		return ` Unit ${this.chosen + 1} ${heard}; its weight is ${signed(this.weights[this.chosen])}.`;
	}

	score(fired) {
		return fired.reduce((sum, value, i) => sum + value * this.weights[i], 0);
	}

	learn(picture, y) {
		const fired = this.fired(picture);
		const wrong = y * this.score(fired) <= 0;
		if (wrong)
			fired.forEach((value, i) => {
				this.weights[i] += y * value;
			});
		this.seen += 1;
		this.mistakes += wrong;
		this.recent = [...this.recent, wrong].slice(-50);
	}

	build(root) {
		this.cells = Array.from({length: CELLS}, (_, i) => {
			const name = `Cell ${Math.floor(i / SIDE) + 1}, ${(i % SIDE) + 1}`;
			return button("", () => this.toggle(i), {"aria-label": name, class: "course-cell"});
		});
		this.board = svgNode("svg", {viewBox: "0 0 200 130", role: "img", class: "course-units"});
		this.says = el("p", {role: "status", class: "course-says"});
		const teach = (y) => button(`It is ${NAMES[y]}`, () => this.teach(y));
		const next = button("Show a bar", () => this.look(bar(this.random)));
		const many = button("Learn from 100 bars", () => this.teachMany(100), {class: "main"});
		const grid = el(
			"div",
			{class: "course-retina-grid", role: "group", "aria-label": "Retina"},
			this.cells,
		);
		const count = this.units.length;
		this.box = el("input", {type: "number", min: "1", max: String(count), placeholder: "none"});
		this.box.addEventListener("input", () => this.choose(Number(this.box.value) - 1));
		const wires = labelled(`Show the wires of unit (1 to ${count})`, this.box, "field inline");
		const buttons = el("div", {class: "course-row"}, next, teach(1), teach(-1), many, wires);
		root.replaceChildren(
			el("div", {class: "course-machine"}, grid, this.board),
			this.says,
			buttons,
		);
	}

	// A unit whose four cells are shown, with the signs of its wires; none is null.
	choose(i) {
		this.chosen = this.units[i] ? i : null;
		this.show();
	}

	look({picture, y}) {
		[this.picture, this.y] = [picture, y];
		this.show();
	}

	toggle(i) {
		this.picture[i] = 1 - this.picture[i];
		this.show();
	}

	teach(y) {
		this.learn(this.picture, y);
		this.show();
	}

	teachMany(count) {
		for (let i = 0; i < count; i += 1) {
			const {picture, y} = bar(this.random);
			this.learn(picture, y);
		}
		this.look(bar(this.random));
	}

	show() {
		const fired = this.fired(this.picture);
		const score = this.score(fired);
		const wires = this.units[this.chosen] ?? [];
		this.cells.forEach((cell, i) => {
			press(cell, this.picture[i] === 1);
			const signs = wires.filter(([at]) => at === i).map(([, sign]) => (sign > 0 ? "+" : "−"));
			setText(cell, signs.join(""));
		});
		this.draw(fired);
		const guess = score === 0 ? "no opinion" : NAMES[Math.sign(score)];
		const late = this.recent.filter(Boolean).length;
		const past = `${this.mistakes} mistakes on ${this.seen} pictures`;
		const record = this.seen ? ` ${past}, ${late} on the last ${this.recent.length}.` : "";
		const said = `The machine says: ${guess} (score ${signed(score)}).`;
		setText(this.says, said + record + this.chosenWords());
	}

	// A dot for each unit, full if it fires; above it its weight, up or down.
	draw(fired) {
		const across = 15;
		const largest = Math.max(1, ...this.weights.map(Math.abs));
		const parts = this.units.flatMap((_, i) => {
			const [x, y] = [7 + (i % across) * 13.2, 22 + Math.floor(i / across) * 32];
			const length = (this.weights[i] / largest) * 14;
			const stroke = {x1: x, x2: x, y1: y, y2: y - length, class: length < 0 ? "down" : "up"};
			return [
				svgNode("line", stroke),
				svgNode("circle", {cx: x, cy: y, r: 3.4, class: fired[i] ? "fires" : "rests"}),
				...(i === this.chosen ? [svgNode("circle", {cx: x, cy: y, r: 5.6, class: "chosen"})] : []),
			];
		});
		this.board.replaceChildren(...parts);
		const count = fired.slice(0, -1).filter(Boolean).length;
		this.board.setAttribute(
			"aria-label",
			`${count} of ${this.units.length} association units fire.`,
		);
	}
}
