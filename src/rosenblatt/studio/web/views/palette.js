// Under the plane: the class of new points, and the numbers of the selected one.
import {button, choice, el, numberBox, press} from "./dom.js";
import {markIcon} from "./marks.js";

// Boxes for the two numbers and the class of a point; `given` adds attributes to each.
export function pointBoxes(studio, row, given = () => ({})) {
	const {editor, points, marks} = studio;
	const at = (axis) => studio.points.rows[row][axis];
	const named = (words, box) => ({"aria-label": `${words} of point ${row + 1}`, ...given(box)});
	const [across, up] = points.columns;
	const classes = marks.map((mark) => [String(mark.place), mark.name]);
	const recolour = (place) => editor.recolour(row, Number(place));
	return [
		numberBox(at(0), (x) => editor.movePoint(row, x, at(1)), named(across, "x")),
		numberBox(at(1), (y) => editor.movePoint(row, at(0), y), named(up, "y")),
		choice(classes, String(points.labels[row]), recolour, named("class", "c")),
	];
}

export class Palette {
	constructor(studio) {
		this.studio = studio;
		const given = {class: "palette row edit", role: "group"};
		this.node = el("div", {...given, "aria-label": "Class of new points"});
		this.chosen = el("div", {class: "selected row edit"});
	}

	set hidden(hidden) {
		this.node.hidden = this.chosen.hidden = hidden;
	}

	// Made anew only where something else is shown: what has the focus must not vanish under it.
	fill() {
		const {studio} = this;
		const {marks, theme, points, editor} = studio;
		const row = editor.selected;
		const classes = JSON.stringify([theme.paper, points.classes, points.columns]);
		if (this.filledFor !== classes) {
			this.filledFor = classes;
			this.chips = marks.map((mark) => this.chip(mark));
			const words = el("span", {class: "quiet"}, "Click the plane to add:");
			this.node.replaceChildren(words, ...this.chips, this.newClass());
		}
		for (const [place, chip] of this.chips.entries()) press(chip, editor.brush === place);
		const shown = row !== null && points.rows[row] ? `${row}${classes}` : "";
		if (this.chosenFor !== shown) {
			this.chosenFor = shown;
			this.chosen.replaceChildren(...(shown ? this.selection(row) : []));
		}
		if (!shown) return;
		const [x, y, label] = this.chosen.querySelectorAll("input, select");
		[x.value, y.value, label.value] = [...points.rows[row], points.labels[row]].map(String);
	}

	chip(mark) {
		const {editor, theme} = this.studio;
		const face = [markIcon(mark, theme), el("span", {}, mark.name)];
		const given = {class: "chip", title: mark.label};
		return button(face, () => editor.brushWith(mark.place), given);
	}

	selection(row) {
		const {studio} = this;
		const remove = () => {
			studio.editor.removePoint(row);
			studio.stage.pictures[0].surface.focus();
		};
		return [
			el("span", {}, `Point ${row + 1}:`),
			...pointBoxes(studio, row),
			button("Delete", remove, {"aria-label": `Delete point ${row + 1}`}),
		];
	}

	newClass() {
		const {editor} = this.studio;
		const words = {"aria-label": "Name of a new class", placeholder: "new class"};
		const box = el("input", {type: "text", maxlength: "60", class: "new-class", ...words});
		const add = () => {
			if (!box.value.trim()) return;
			editor.addClass(box.value.trim());
			this.chips[editor.brush].focus();
		};
		box.addEventListener("keydown", (event) => {
			if (event.key === "Enter") add();
		});
		return el("span", {class: "row tight"}, box, button("Add class", add, {class: "small"}));
	}
}
