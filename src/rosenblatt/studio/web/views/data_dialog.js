// Your own data: pasted or from a file, with the columns to take.
import {counted} from "../engine/numbers.js";
import {button, choice, el, labelled, row, setText} from "./dom.js";

const NONE = {x: null, y: null, label: null};
const MOST_CHARACTERS = 6000000;
const ABOUT =
	"A table with a heading row: two columns of numbers and one with the class. " +
	"It stays on this machine.";
const TOO_LARGE =
	"This file is too large for a picture: take at most 5,000 rows of it, " +
	"or start with it: rosenblatt studio FILE.";

export class DataDialog {
	constructor(studio) {
		this.studio = studio;
		this.picked = NONE;
		this.text = el("textarea", {
			rows: "8",
			spellcheck: "false",
			on: {input: () => this.later()},
			placeholder: "height,weight,kind\n1.2,0.5,cat\n2.0,1.5,dog",
		});
		const accept = ".csv,.tsv,.txt,text/csv,text/plain";
		this.file = el("input", {type: "file", accept, on: {change: () => this.load()}});
		this.columns = el("div", {class: "fields"});
		this.problem = el("p", {class: "problem", role: "alert"});
		this.notes = el("p", {class: "quiet"});
		this.use = button("Use these points", () => this.take(), {class: "main", disabled: true});
		const cancel = button("Cancel", () => this.node.close());
		this.node = el(
			"dialog",
			{class: "card own", "aria-label": "Your own data"},
			el("h2", {}, "Your own data"),
			el("p", {}, ABOUT),
			labelled("Paste a table (CSV)", this.text),
			labelled("or choose a file", this.file),
			this.columns,
			this.problem,
			this.notes,
			row(this.use, cancel),
		);
	}

	open() {
		this.node.showModal();
		this.text.focus();
	}

	async load() {
		const [file] = this.file.files;
		if (!file) return;
		if (file.size > MOST_CHARACTERS) {
			setText(this.problem, TOO_LARGE);
			return;
		}
		let text = await file.text();
		// What is not UTF-8 is most likely what older Windows programs write.
		if (text.includes("\ufffd"))
			text = new TextDecoder("windows-1252").decode(await file.arrayBuffer());
		this.text.value = text;
		this.fileName = file.name;
		this.picked = NONE;
		this.read();
	}

	later() {
		this.fileName = null;
		this.picked = NONE;
		clearTimeout(this.waiting);
		this.waiting = setTimeout(() => this.read(), 250);
	}

	async read() {
		this.found = null;
		this.use.disabled = true;
		const text = this.text.value;
		if (!text.trim()) {
			this.columns.replaceChildren();
			setText(this.problem, "");
			setText(this.notes, "");
			return;
		}
		try {
			const found = await this.studio.ask("table", {text, ...this.picked});
			if (text !== this.text.value) return;
			this.found = found;
			setText(this.problem, "");
			const count = found.data.rows.length;
			const notes = [`${counted(count, "point", "points")}.`, ...(found.notices ?? [])];
			setText(this.notes, notes.join(" "));
			this.use.disabled = count === 0;
			this.offer(found);
		} catch (error) {
			setText(this.problem, error.message);
			setText(this.notes, "");
		}
	}

	offer(found) {
		const named = (columns) => columns.map(({name}) => [name, name]);
		const all = named(found.columns);
		const numbers = named(found.columns.filter(({kind}) => kind === "number"));
		const pick = (field) => (name) => {
			this.picked = {x: found.x, y: found.y, label: found.label, [field]: name};
			this.read();
		};
		this.columns.replaceChildren(
			labelled("Across (x)", choice(numbers, found.x, pick("x"))),
			labelled("Up (y)", choice(numbers, found.y, pick("y"))),
			labelled("Class", choice(all, found.label, pick("label"))),
		);
	}

	take() {
		if (!this.found) return;
		this.studio.useData(this.found.data, this.fileName);
		this.node.close();
	}
}
