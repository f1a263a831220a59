// The parts of the page and where each has its place.
import {Appearance} from "./appearance.js";
import {DataBar, OrderBar} from "./data_bar.js";
import {DataDialog} from "./data_dialog.js";
import {el} from "./dom.js";
import {ExportMenu} from "./export_menu.js";
import {LearnerBar} from "./learner_bar.js";
import {Lecture} from "./lecture.js";
import {Playback} from "./playback.js";
import {Stage} from "./stage.js";
import {PointTable} from "./tables.js";
import {TheoryCard} from "./theory_card.js";
import {UpdateCard} from "./update_card.js";

const STEPS = "each mistake moves the line. Step through the updates";
const LEDE = `Watch a perceptron learn: ${STEPS}, or click the plane to add points of your own.`;

export function partsOf(studio) {
	const dataDialog = new DataDialog(studio);
	return {
		live: el("p", {class: "live", "aria-live": "polite"}),
		spoken: el("p", {class: "unseen", "aria-live": "polite"}),
		alert: el("p", {class: "problem", role: "alert"}),
		appearance: new Appearance(studio),
		dataDialog,
		dataBar: new DataBar(studio, () => dataDialog.open()),
		learnerBar: new LearnerBar(studio),
		orderBar: new OrderBar(studio),
		stage: new Stage(studio),
		playback: new Playback(studio),
		updateCard: new UpdateCard(studio),
		theoryCard: new TheoryCard(studio),
		pointTable: new PointTable(studio),
		exports: new ExportMenu(studio),
		lecture: new Lecture(studio),
	};
}

// In a chapter of the course the page is a figure: the plane, and what else is asked for.
export function lay(studio) {
	const {root, parts, stage, lecture, appearance} = studio;
	stage.grid.after(studio.playback.node, studio.live);
	const title = el("div", {}, el("h1", {}, "Perceptron studio"), el("p", {class: "lede"}, LEDE));
	const {themeButton, sizeButton} = appearance;
	const buttons = [studio.exports.node, themeButton, sizeButton, lecture.start, lecture.bar];
	const head = el("header", {class: "head"}, title, el("div", {class: "row tools"}, buttons));
	const shown = (name, node) => (parts && !parts.includes(name) ? [] : [node]);
	const bars = [studio.dataBar, studio.learnerBar, studio.orderBar].map((part) => part.node);
	const cards = [
		stage.node,
		...shown("update", studio.updateCard.node),
		...shown("theory", studio.theoryCard.node),
		...shown("setup", el("div", {class: "setup edit"}, bars)),
		...shown("points", studio.pointTable.node),
	];
	root.replaceChildren(
		...(parts ? [] : [head]),
		studio.alert,
		el(parts ? "div" : "main", {class: "layout"}, cards),
		studio.spoken,
		studio.dataDialog.node,
		...(parts ? [] : lecture.nodes),
	);
	root.classList.add("studio");
	root.classList.toggle("fixed", !studio.editable);
	root.classList.toggle("figure", Boolean(parts));
	// A section with a name is a landmark, and several figures have the same names. The card of a
	// figure is as high as its plane: what is longer can be scrolled to by keys.
	for (const card of parts ? root.querySelectorAll("section") : [])
		card.removeAttribute("aria-label");
	if (parts) studio.updateCard.node.tabIndex = 0;
}
