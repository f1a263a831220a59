// Your own data: pasted, dropped or from a file, with the columns to take and what to do to them.
import {counted} from "../engine/numbers.js";
import {ownTable} from "../engine/own_table.js";
import {button, checkBox, choice, el, labelled, listen, row, setText} from "./dom.js";

const NONE = {x: null, y: null, label: null, directions: false};
const MOST_CHARACTERS = 20_000_000;
const ABOUT =
	"Two or more columns of numbers and one with the class: CSV, TSV, or cells copied from a " +
	"spreadsheet. Files can be dropped anywhere on this page. All stays on this machine.";
const TOO_LARGE =
	"The file has more than 20 MB: take a part of it, or start with it: rosenblatt studio FILE.";
const NO_TEXT = "This file is no text: save the table as CSV or copy its cells.";
const SHUFFLE =
	"Shuffle the points every epoch: from rows in the order of their classes one class is learned " +
	"after the other.";
const SCALE =
	"Scale both columns to mean 0 and standard deviation 1: otherwise the one with the larger " +
	"numbers decides almost alone.";

async function textOf(file) {
	const bytes = new Uint8Array(await file.arrayBuffer());
	const utf16 = {"255,254": "utf-16le", "254,255": "utf-16be"}[bytes.slice(0, 2).join()];
	if (utf16) return new TextDecoder(utf16).decode(bytes);
	if (bytes.slice(0, 1000).includes(0)) throw new Error(NO_TEXT);
	const text = new TextDecoder().decode(bytes);
	// What is not UTF-8 is most likely what older Windows programs write.
	return text.includes("\ufffd") ? new TextDecoder("windows-1252").decode(bytes) : text;
}

export class DataDialog {
	constructor(studio) {
		this.studio = studio;
		this.picked = NONE;
		this.text = el("textarea", {
			rows: "7",
			spellcheck: "false",
			on: {input: () => this.later()},
			placeholder: "height,weight,kind\n1.2,0.5,cat\n2.0,1.5,dog",
		});
		const accept = ".csv,.tsv,.txt,.dat,text/csv,text/plain";
		this.file = el("input", {type: "file", accept});
		listen(this.file, {change: () => this.load(this.file.files[0])});
		this.columns = el("div", {class: "fields"});
		this.shuffle = checkBox(true, () => {});
		this.scale = checkBox(true, () => this.read());
		this.problem = el("p", {class: "problem", role: "alert"});
		this.notes = el("ul", {class: "quiet notes"});
		this.use = button("Use these points", () => this.take(), {class: "main", disabled: true});
		const cancel = button("Cancel", () => this.node.close());
		this.node = el(
			"dialog",
			{class: "card own", "aria-label": "Your own data"},
			el("h2", {}, "Your own data"),
			el("p", {}, ABOUT),
			labelled("Paste a table", this.text),
			labelled("or choose a file", this.file),
			this.columns,
			labelled(SHUFFLE, this.shuffle, "field check"),
			labelled(SCALE, this.scale, "field check"),
			this.problem,
			el("div", {role: "status"}, this.notes),
			row(this.use, cancel),
		);
		this.welcome();
	}

	// Files are dropped, and tables pasted, anywhere on a page that is all studio.
	welcome() {
		const {studio} = this;
		if (!studio.editable || studio.parts) return;
		const marked = (on) => (event) => {
			if (!event.dataTransfer.types.includes("Files")) return;
			event.preventDefault();
			studio.root.classList.toggle("dropping", on);
		};
		listen(studio.root, {
			dragover: marked(true),
			dragleave: marked(false),
			drop: (event) => {
				marked(false)(event);
				const [file] = event.dataTransfer.files;
				if (!file) return;
				this.open();
				this.load(file);
			},
		});
		if (!studio.address) return;
		document.addEventListener("paste", (event) => {
			const text = event.clipboardData.getData("text/plain");
			if (event.target.closest("input, textarea, dialog") || !text.includes("\n")) return;
			this.open();
			this.text.value = text;
			this.later();
		});
	}

	open() {
		if (!this.node.open) this.node.showModal();
		this.text.focus();
	}

	async load(file) {
		if (!file) return;
		try {
			if (file.size > MOST_CHARACTERS) throw new Error(TOO_LARGE);
			this.text.value = await textOf(file);
			this.fileName = file.name;
			this.picked = NONE;
			this.read();
		} catch (error) {
			this.refuse(error);
		}
	}

	later() {
		this.fileName = null;
		this.picked = NONE;
		clearTimeout(this.waiting);
		this.waiting = setTimeout(() => this.read(), 250);
	}

	refuse(error) {
		this.found = null;
		this.use.disabled = true;
		this.notes.replaceChildren();
		setText(this.problem, error?.message ?? "");
	}

	read() {
		this.refuse(null);
		const text = this.text.value;
		if (!text.trim()) {
			this.columns.replaceChildren();
			return;
		}
		try {
			const found = ownTable(text, {...this.picked, scale: this.scale.checked});
			this.found = found;
			this.use.disabled = false;
			const notes = [`${counted(found.data.rows.length, "point", "points")}.`, ...found.notices];
			this.notes.replaceChildren(...notes.map((note) => el("li", {}, note)));
			this.offer(found);
		} catch (error) {
			this.refuse(error);
		}
	}

	offer(found) {
		const {directions} = this.picked;
		const named = (columns) => columns.map(({name}) => [name, name]);
		const numbers = named(found.columns.filter(({kind}) => kind === "number"));
		const pick = (field) => (name) => {
			const {x, y, label} = found;
			// What had this column before takes another one.
			const others = Object.entries({x, y, label}).map(([f, n]) => [f, n === name ? null : n]);
			this.picked = {...Object.fromEntries(others), directions, [field]: name};
			this.read();
		};
		const shown = [
			["columns", "two columns"],
			["directions", "the two directions of most spread"],
		];
		const show = choice(shown, directions ? "directions" : "columns", (chosen) => {
			this.picked = {...this.picked, directions: chosen === "directions"};
			this.read();
			this.columns.querySelector("select").focus();
		});
		this.columns.replaceChildren(
			...(found.isWide ? [labelled("Show", show)] : []),
			...(directions
				? []
				: [
						labelled("Across (x)", choice(numbers, found.x, pick("x"))),
						labelled("Up (y)", choice(numbers, found.y, pick("y"))),
					]),
			labelled("Class", choice(named(found.columns), found.label, pick("label"))),
		);
	}

	take() {
		const {found, fileName} = this;
		if (!found) return;
		const order = this.shuffle.checked ? "shuffled" : "given";
		this.studio.useData(found.data, {name: fileName, about: found.about, order});
		this.node.close();
	}
}
