// What input can do to a picture, by pointer and by key: add, move, delete points; turn the lift.
import {clamped, roundedTo, vector} from "../engine/numbers.js";
import {listen} from "./dom.js";
import {Frame} from "./frame.js";
import {pointRadius} from "./plane.js";

const KEYS =
	"Arrow keys move a cursor (with Shift by less), Enter adds a point there or picks up the point " +
	"under it and puts it down again, N and P go to the next and previous point, " +
	"C changes its class, Delete removes it, Space steps, Escape lets go.";
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

export function keyHelp(view, editable) {
	if (view === "plane" && editable) return KEYS;
	return view === "lift" ? "Drag or use the arrow keys to turn the picture." : "Space steps.";
}

export class PointerAndKeys {
	constructor(picture) {
		this.picture = picture;
		this.studio = picture.studio;
		this.surface = picture.surface;
		[this.focused, this.holding, this.held] = [false, false, null];
		listen(this.surface, {
			pointerdown: (event) => this.press(event),
			pointermove: (event) => this.drag(event),
			pointerup: (event) => this.release(event),
			pointercancel: () => {
				this.held = null;
			},
			touchstart: (event) => this.keepForPoint(event),
			keydown: (event) => this.key(event),
			focus: () => {
				this.focused = this.surface.matches(":focus-visible");
				this.cursor ??= this.middle();
				this.studio.redraw();
			},
			blur: () => {
				this.focused = this.holding = false;
				this.studio.redraw();
			},
		});
	}

	get frame() {
		return this.picture.frame;
	}

	middle() {
		const [x0, x1, y0, y1] = this.studio.box;
		const [sx, sy] = this.cursorStep();
		return [roundedTo((x0 + x1) / 2, sx), roundedTo((y0 + y1) / 2, sy)];
	}

	cursorStep(fine = false) {
		const [sx, sy] = (this.frame ?? new Frame(400, 300, this.studio.box, {equal: true})).steps();
		return fine ? [sx / 10, sy / 10] : [sx / 2, sy / 2];
	}

	placeOf(event) {
		const bounds = this.surface.getBoundingClientRect();
		return [event.clientX - bounds.left, event.clientY - bounds.top];
	}

	nearest(px, py, reach) {
		const {rows} = this.studio.points;
		let [best, closest] = [null, reach * reach];
		for (let i = 0; i < rows.length; i += 1) {
			const distance = (this.frame.x(rows[i][0]) - px) ** 2 + (this.frame.y(rows[i][1]) - py) ** 2;
			if (distance <= closest) [best, closest] = [i, distance];
		}
		return best;
	}

	// A finger scrolls the page, also over a picture. Only the chosen point is moved by it: a tap
	// chooses one.
	keepForPoint(event) {
		const {editor} = this.studio;
		const {clientX, clientY} = event.touches[0];
		const isOne = event.touches.length === 1;
		const row = isOne && this.edits ? this.pointAt(...this.placeOf({clientX, clientY})) : null;
		if (row !== null && row === editor.selected) event.preventDefault();
	}

	get edits() {
		const {studio} = this;
		return Boolean(studio.state.view === "plane" && studio.editable && this.frame);
	}

	pointAt(px, py) {
		const {studio} = this;
		const radius = pointRadius(studio.points.rows.length, studio.textSize, this.frame.height);
		return this.nearest(px, py, radius + 6);
	}

	press(event) {
		if (event.button !== 0) return;
		const [px, py] = this.placeOf(event);
		const {studio} = this;
		studio.showRun(this.picture.place);
		if (studio.state.view === "lift") {
			this.held = {turn: true, px, py};
			this.surface.setPointerCapture(event.pointerId);
			return;
		}
		if (!this.edits) return;
		const row = this.pointAt(px, py);
		const byFinger = event.pointerType === "touch";
		const movable = row !== null && !(byFinger && row !== studio.editor.selected);
		this.held = {row, px, py, movable, moved: false};
		this.surface.setPointerCapture(event.pointerId);
		if (movable) studio.editor.select(row);
	}

	drag(event) {
		const {held} = this;
		if (!held) return;
		const [px, py] = this.placeOf(event);
		if (held.turn) {
			this.picture.stage.turnBy((px - held.px) * 0.01, (py - held.py) * 0.01);
			[held.px, held.py] = [px, py];
			return;
		}
		if (Math.hypot(px - held.px, py - held.py) > 4) held.moved = true;
		if (!held.movable || !held.moved) return;
		this.studio.editor.movePoint(held.row, ...this.rounded(px, py), {first: !held.began});
		held.began = true;
	}

	rounded(px, py) {
		const [sx, sy] = this.cursorStep(true);
		const [x0, x1, y0, y1] = this.frame.box;
		const [x, y] = this.frame.back(px, py);
		return [roundedTo(clamped(x, x0, x1), sx / 2), roundedTo(clamped(y, y0, y1), sy / 2)];
	}

	release(event) {
		const {held} = this;
		this.held = null;
		if (!held || held.turn || held.moved) return;
		if (held.row !== null) {
			this.studio.editor.select(held.row);
			return;
		}
		const [px, py] = this.placeOf(event);
		if (this.frame.holds(this.frame.back(px, py)))
			this.studio.editor.addPoint(...this.rounded(px, py));
	}

	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		const {studio} = this;
		const {view} = studio.state;
		const arrow = ARROWS[event.key];
		let done = true;
		if (event.key === " ") studio.position.moveBy(1);
		else if (event.key === "Home") studio.position.moveTo(0);
		else if (event.key === "End") studio.position.moveTo(studio.position.reach);
		else if (view === "lift" && arrow) this.picture.stage.turnBy(arrow[0] * 0.12, -arrow[1] * 0.12);
		else if (view !== "plane" || !studio.editable || !this.frame) done = false;
		else if (arrow) this.moveCursor(arrow, event.shiftKey);
		else done = this.edit(event.key);
		if (!done) return;
		event.preventDefault();
		this.focused = true;
		studio.redraw();
	}

	moveCursor([right, up], fine) {
		const {editor} = this.studio;
		const [sx, sy] = this.cursorStep(fine);
		const [x0, x1, y0, y1] = this.frame.box;
		const [x, y] = this.cursor;
		this.cursor = [
			roundedTo(clamped(x + right * sx, x0, x1), sx / 10),
			roundedTo(clamped(y + up * sy, y0, y1), sy / 10),
		];
		if (this.holding && editor.selected !== null) {
			editor.movePoint(editor.selected, ...this.cursor, {first: !this.began});
			this.began = true;
		}
		this.studio.say(`${this.holding ? "Moving to" : "Cursor at"} ${vector(this.cursor)}`);
	}

	edit(key) {
		const {editor, points, marks} = this.studio;
		const {selected} = editor;
		const letter = key.toLowerCase();
		if (key === "Enter") this.putOrPick();
		else if (key === "Escape") {
			this.holding = false;
			editor.select(null);
		} else if ((letter === "n" || letter === "p") && points.rows.length) {
			this.goToPoint(letter === "n" ? 1 : -1);
		} else if (letter === "c" && selected !== null) {
			editor.recolour(selected, (points.labels[selected] + 1) % marks.length);
		} else if ((key === "Delete" || key === "Backspace") && selected !== null) {
			this.holding = false;
			editor.removePoint(selected);
		} else return false;
		return true;
	}

	putOrPick() {
		const {studio} = this;
		if (this.holding) {
			this.holding = false;
			studio.say(`Put down at ${vector(this.cursor)}.`);
			return;
		}
		const under = this.nearest(...this.frame.at(this.cursor), 3);
		if (under === null) {
			studio.editor.addPoint(...this.cursor);
			return;
		}
		studio.editor.select(under);
		[this.holding, this.began] = [true, false];
		studio.say(`Picked up point ${under + 1}. Move it with the arrow keys, Enter puts it down.`);
	}

	goToPoint(way) {
		const {editor, points, marks} = this.studio;
		const count = points.rows.length;
		const first = way > 0 ? 0 : count - 1;
		const next = editor.selected === null ? first : (editor.selected + way + count) % count;
		this.holding = false;
		editor.select(next);
		this.cursor = points.rows[next].slice(0, 2);
		const {name} = marks[points.labels[next]];
		this.studio.say(`Point ${next + 1} at ${vector(points.rows[next])}, class ${name}.`);
	}
}
