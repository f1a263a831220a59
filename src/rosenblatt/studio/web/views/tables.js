// The same as the pictures, in numbers: a table of all updates, and one of all points.
import {clamped, figure} from "../engine/numbers.js";
import {button, el, headRow, row, setText, tableRow} from "./dom.js";
import {markIcon} from "./marks.js";
import {pointBoxes} from "./palette.js";

const PAGE = 50;
const ABOUT_POINTS =
	"The same points as in the plane. " +
	"α is how often a point was used so far, in the learner shown.";

function weightNames(studio, {run, hasBias}) {
	const {features} = studio.answer.data;
	const one = features.map((name) => `w[${name}]`).concat(hasBias ? ["b"] : []);
	if (run.vectors <= 1) return run.vectors ? one : [];
	return studio.marks.flatMap((mark) => one.map((name) => `${name}${mark.letter}`));
}

function weightValues(ledger, k) {
	return Array.from({length: ledger.run.vectors}, (_, place) => {
		const weights = ledger.weights(k, place);
		return ledger.hasBias ? weights : weights.slice(0, -1);
	}).flat();
}

function updateCells(studio, ledger, k) {
	const update = ledger.update(k);
	const {marks, answer} = studio;
	const weights = weightValues(ledger, k).map((value) => figure(value));
	if (!update) return ["0", ...Array(7).fill(""), ...weights];
	const scores = [update.score].flat().map((s) => figure(s));
	const point = answer.data.rows[update.row].map((v) => figure(v)).join(", ");
	const where = [k, update.epoch, update.t, update.row + 1].map(String);
	const what = [point, marks[update.right].name, scores.join(" "), figure(update.step)];
	return [...where, ...what, ...weights];
}

// A long table in pages: which of them is shown, and two buttons to turn them.
class Pager {
	constructor(words, turned) {
		this.page = 0;
		this.where = el("span", {class: "where"});
		const turn = (way) => () => {
			this.page += way;
			turned();
		};
		this.earlier = button(`Earlier ${words}`, turn(-1));
		this.later = button(`Later ${words}`, turn(1));
		this.nodes = [this.earlier, this.where, this.later];
	}

	// Numbers of the first row of the page and of the one after its last.
	show(length, start) {
		const last = Math.max(0, Math.ceil(length / PAGE) - 1);
		this.page = clamped(this.page, 0, last);
		const [first, end] = [this.page * PAGE, Math.min(length, (this.page + 1) * PAGE)];
		this.earlier.disabled = this.page === 0;
		this.later.disabled = this.page === last;
		setText(this.where, `${first + start} to ${end - 1 + start} of ${length - 1 + start}`);
		return [first, end];
	}
}

function scrolled(name, ...parts) {
	const given = {class: "scroll", tabindex: "0", role: "region", "aria-label": name};
	return el("div", given, el("table", {}, ...parts));
}

export class UpdateTable {
	constructor(studio) {
		this.studio = studio;
		this.drawn = null;
		this.caption = el("caption", {});
		this.head = el("thead");
		this.body = el("tbody");
		this.pager = new Pager("updates", () => this.fill());
		this.said = el("span", {class: "quiet", role: "status"});
		const copy = button("Copy the whole table", () => this.copy());
		this.node = el(
			"div",
			{class: "table-view"},
			row(this.pager.nodes, copy, this.said),
			scrolled("Table of updates", this.caption, this.head, this.body),
		);
	}

	// Shows the page with the current update.
	follow() {
		if (!this.studio.ledger) return;
		this.pager.page = Math.floor(this.studio.ledger.clip(this.studio.at) / PAGE);
		this.fill();
	}

	fill() {
		const {studio} = this;
		const {ledger} = studio;
		// The start is a row as well.
		const [first, end] = this.pager.show(ledger.length + 1, 0);
		const key = [studio.answerNumber, studio.shown, first].join();
		if (key !== this.drawn) {
			this.drawn = key;
			const where = ["update", "epoch", "example", "point"];
			const what = [`(${studio.answer.data.columns.join(", ")})`, "class", "score before", "step"];
			this.head.replaceChildren(headRow([...where, ...what, ...weightNames(studio, ledger)]));
			const rows = [];
			for (let k = first; k < end; k += 1) {
				const [number, ...cells] = updateCells(studio, ledger, k);
				const given = {class: "link", "aria-label": `Go to update ${k}`};
				rows.push(tableRow([button(number, () => studio.goTo(k), given)], cells));
			}
			this.body.replaceChildren(...rows);
			const about = "the weights after each update (0 is the start).";
			setText(this.caption, `${studio.runTitle(studio.shown)}: ${about}`);
		}
		const now = ledger.clip(studio.at) - first;
		this.body.querySelector("[aria-current]")?.removeAttribute("aria-current");
		const row = this.body.children[now];
		if (row) {
			row.setAttribute("aria-current", "step");
			const box = this.body.closest(".scroll");
			const below = row.offsetTop - box.scrollTop;
			if (below < 0 || below + row.offsetHeight > box.clientHeight)
				box.scrollTop = row.offsetTop - box.clientHeight / 2;
		}
	}

	async copy() {
		const {ledger} = this.studio;
		const names = Array.from(this.head.querySelectorAll("th"), (cell) => cell.textContent);
		const lines = [names.join("\t")];
		for (let k = 0; k <= ledger.length; k += 1)
			lines.push(updateCells(this.studio, ledger, k).join("\t"));
		try {
			await navigator.clipboard.writeText(lines.join("\n"));
			setText(this.said, "Copied.");
		} catch {
			setText(this.said, "The browser did not allow copying; use Export, CSV.");
		}
	}
}

export class PointTable {
	constructor(studio) {
		this.studio = studio;
		this.body = el("tbody");
		this.head = el("thead");
		this.pager = new Pager("points", () => this.fill());
		this.turning = row(this.pager.nodes);
		this.summary = el("summary", {}, "Points");
		const add = button("Add a point", () => this.add(), {class: "edit"});
		this.node = el(
			"details",
			{class: "card points"},
			this.summary,
			el("p", {class: "quiet"}, ABOUT_POINTS),
			this.turning,
			scrolled("Table of points", this.head, this.body),
			row(add),
		);
		this.node.addEventListener("toggle", () => this.fill());
	}

	add() {
		const {studio} = this;
		const [x0, x1, y0, y1] = studio.box;
		studio.editor.addPoint((x0 + x1) / 2, (y0 + y1) / 2);
		this.pager.page = Infinity;
		this.fill();
		this.body.lastElementChild?.querySelector("input")?.focus();
	}

	fill() {
		const {points, editable} = this.studio;
		setText(this.summary, `Points (${points.rows.length})`);
		if (!this.node.open) return;
		const [first, end] = this.pager.show(points.rows.length, 1);
		this.turning.hidden = points.rows.length <= PAGE;
		const head = headRow(["point", ...points.columns, "class", "α"]);
		if (editable) head.append(el("td", {}));
		this.head.replaceChildren(head);
		const focused = document.activeElement?.dataset?.cell;
		const rows = [];
		for (let i = first; i < end; i += 1) rows.push(this.row(i));
		this.body.replaceChildren(...rows);
		if (focused) {
			const same = this.body.querySelector(`[data-cell="${focused}"]`);
			(same ?? this.body.lastElementChild?.querySelector("button"))?.focus();
		}
		this.count();
	}

	row(i) {
		const {studio} = this;
		const {points, editable} = studio;
		const mark = studio.marks[points.labels[i]];
		const named = (box) => ({"data-cell": `${i}${box}`});
		const given = {"aria-label": `Delete point ${i + 1}`, class: "small", ...named("d")};
		const cells = editable
			? pointBoxes(studio, i, named)
			: [...points.rows[i].map((value) => figure(value)), mark.name];
		const remove = () => studio.editor.removePoint(i);
		const made = tableRow([markIcon(mark, studio.theme), ` ${i + 1}`], cells);
		made.append(el("td", {class: "uses"}));
		if (editable) made.append(el("td", {}, button("Delete", remove, given)));
		return made;
	}

	count() {
		const {ledger, at} = this.studio;
		if (!this.node.open) return;
		const uses = ledger ? ledger.duals(at).uses : null;
		const first = this.pager.page * PAGE;
		for (const [i, row] of Array.from(this.body.children).entries())
			setText(row.querySelector(".uses"), uses ? String(uses[first + i] ?? 0) : "–");
	}
}
