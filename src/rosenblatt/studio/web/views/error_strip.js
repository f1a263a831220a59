// Under the plane: how many points are wrong by the weights that predict, along the run and now.
import {figure} from "../engine/numbers.js";
import {RunErrors} from "../engine/run_errors.js";
import {classColour} from "./appearance.js";
import {el, setText} from "./dom.js";
import {Frame} from "./frame.js";
import {inked, line, penFor} from "./pen.js";

// So many milliseconds of a frame may be spent on counting.
const SLICE = 8;

export function errorsOf(ledger, data) {
	ledger.errors ??= new RunErrors(ledger, data);
	return ledger.errors.known ? ledger.errors : null;
}

export class ErrorStrip {
	constructor(studio) {
		this.studio = studio;
		this.words = el("p", {class: "errors-now"});
		this.canvas = el("canvas", {class: "errors", role: "img"});
		this.node = el("div", {class: "error-strip"}, this.words, this.canvas);
	}

	draw() {
		const {studio, canvas} = this;
		const all = studio.stale ? [] : studio.ledgers.map((one) => errorsOf(one, studio.points));
		const shown = all[studio.shown];
		this.canvas.hidden = !shown;
		setText(this.words, shown ? this.sentence(shown) : "");
		const {clientWidth: width, clientHeight: height} = canvas;
		if (!shown || !width) return;
		const counting = all.filter((errors) => errors && !errors.count(SLICE));
		if (counting.length) setTimeout(() => studio.redraw());
		this.drawWith(penFor(canvas, width, height), width, height, all);
		canvas.setAttribute("aria-label", `Errors along the run. ${this.words.textContent}`);
	}

	sentence(errors) {
		const {at, learned, held} = errors.at(this.studio.ledger.clip(this.studio.at));
		const share = (wrong, n) => `${wrong} of ${n} (${Math.round((100 * wrong) / n)} %)`;
		const tested = errors.n[1] ? ` · held out: ${share(held, errors.n[1])}` : "";
		return `Wrong${at ? "" : " at the start"}: ${share(learned, errors.n[0])}${tested}`;
	}

	drawWith(pen, width, height, all) {
		const {studio} = this;
		const {theme, textSize, shown} = studio;
		let most = 0;
		for (const errors of all)
			for (const [, learned, held] of errors?.curve ?? [])
				most = Math.max(most, learned / errors.n[0], errors.n[1] ? held / errors.n[1] : 0);
		const side = {left: 4 * textSize, right: 16, top: 6, bottom: 1.7 * textSize};
		const box = [0, Math.max(1, studio.length), 0, 100 * Math.max(0.1, most * 1.1)];
		const frame = new Frame(width, height, box, {side});
		const labels = [
			(value) => (Number.isInteger(value) ? figure(value) : ""),
			(value) => `${figure(value)} %`,
		];
		frame.drawAxes(pen, theme, ["", ""], textSize, {zero: false, labels});
		const many = all.length > 1;
		all.forEach((errors, place) => {
			if (!errors) return;
			const [ink, other] = many
				? [theme.palette[place], theme.palette[place]]
				: [theme.ink, classColour(theme, 3)];
			const strong = place === shown ? 1.5 : 0;
			const at =
				(part) =>
				([k, ...wrong]) => [k, (100 * wrong[part]) / errors.n[part]];
			frame.path(pen, errors.curve.map(at(0)), {stroke: ink, width: 1.5 + strong});
			if (errors.n[1])
				frame.path(pen, errors.curve.map(at(1)), {stroke: other, width: 1 + strong, dash: [5, 4]});
		});
		this.drawNow(pen, frame, all[shown]);
		const right = frame.left + frame.inner[0] - 4;
		const legend = all[shown].n[1] ? "solid: learned from, dashed: held out" : "";
		pen.text(right, frame.top + textSize, legend, inked(theme, textSize, {align: "right"}));
	}

	drawNow(pen, frame, errors) {
		const {theme, ledger, at} = this.studio;
		const {learned, held} = errors.at(ledger.clip(at));
		const x = frame.x(at);
		const bottom = frame.top + frame.inner[1];
		line(pen, [x, frame.top], [x, bottom], {stroke: theme.faint, width: 1});
		const dot = (wrong, n, fill) =>
			pen.circle(x, frame.y((100 * wrong) / n), 4, {fill, stroke: theme.paper, width: 1.5});
		if (errors.n[1]) dot(held, errors.n[1], classColour(theme, 3));
		dot(learned, errors.n[0], theme.ink);
	}
}
