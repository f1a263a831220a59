// The middle of the page: the views, one picture for each learner, and what may be said of them.
import {clamped} from "../engine/numbers.js";
import {VIEWS} from "../state/address.js";
import {drawMistakes} from "./charts.js";
import {button, el, press, setText} from "./dom.js";
import {ErrorStrip} from "./error_strip.js";
import {liftWords} from "./lift.js";
import {Overlays} from "./overlays.js";
import {Palette} from "./palette.js";
import {penFor} from "./pen.js";
import {Picture} from "./picture.js";
import {hasOwnLine} from "./plane.js";
import {UpdateTable} from "./tables.js";
import {weightSpaceWords} from "./weight_space.js";

const ABOUT_MISTAKES =
	"An epoch is one pass over all points. " +
	"Training stops after the first epoch without a mistake.";
const ABOUT_MEAN = "Thin line: the present w. Thick line and areas: the mean w, which predicts. ";
const ABOUT_PLANE =
	"Dashed: before the update. Solid: after it. " +
	"Ringed: the point just used. ×2: used twice so far.";

export class Stage {
	constructor(studio) {
		this.studio = studio;
		this.turn = {yaw: 0.5, pitch: 0.42};
		this.pictures = [];
		this.tabs = VIEWS.map(([view, words]) =>
			button(words, () => studio.show(view), {class: "tab", "data-view": view}),
		);
		this.grid = el("div", {class: "pictures"});
		this.chart = el("canvas", {class: "epochs", role: "img"});
		this.table = new UpdateTable(studio);
		this.errors = new ErrorStrip(studio);
		this.overlays = new Overlays(studio);
		// Short for what the theory says, where that card may be out of sight.
		this.status = el("p", {class: "status", "aria-hidden": "true"});
		this.words = el("p", {class: "quiet words"});
		this.palette = new Palette(studio);
		const views = el("div", {class: "row", role: "group", "aria-label": "View"}, this.tabs);
		this.node = el(
			"section",
			{class: "card stage", "aria-label": "Pictures"},
			el("div", {class: "tabs"}, views, this.status),
			this.grid,
			this.chart,
			this.table.node,
			this.errors.node,
			this.overlays.node,
			this.words,
			this.palette.node,
			this.palette.chosen,
		);
		new ResizeObserver(() => studio.redraw()).observe(this.node);
	}

	turnBy(yaw, pitch) {
		this.turn.yaw += yaw;
		this.turn.pitch = clamped(this.turn.pitch + pitch, -1.5, 1.5);
		this.studio.redraw();
	}

	rebuild() {
		const count = Math.max(1, this.studio.ledgers.length);
		while (this.pictures.length > count) this.pictures.pop().node.remove();
		while (this.pictures.length < count) {
			const picture = new Picture(this, this.pictures.length);
			this.pictures.push(picture);
			this.grid.append(picture.node);
		}
		this.grid.className = `pictures pictures-${count}`;
		for (const picture of this.pictures) picture.forget();
		this.table.drawn = null;
	}

	draw() {
		const {studio} = this;
		const {view} = studio.state;
		const pictured = ["plane", "weights", "lift"].includes(view);
		for (const tab of this.tabs) press(tab, tab.dataset.view === view);
		this.grid.hidden = !pictured;
		this.chart.hidden = view !== "mistakes";
		this.table.node.hidden = view !== "table" || !studio.ledger;
		this.palette.hidden = view !== "plane" || !studio.editable;
		// A figure of a chapter has them where it asks for them.
		const {parts} = studio;
		const has = (name) => view === "plane" && (!parts || parts.includes(name));
		this.errors.node.hidden = !has("errors");
		this.overlays.show(has("overlays"));
		if (has("errors")) this.errors.draw();
		if (pictured) for (const picture of this.pictures) picture.draw();
		if (view === "mistakes") this.drawChart();
		if (view === "table" && studio.ledger) this.table.follow();
		setText(this.words, this.explain(view));
	}

	explain(view) {
		const {studio} = this;
		const scene = this.pictures[studio.shown]?.scene();
		if (!scene) return "";
		if (view === "weights") return weightSpaceWords(scene);
		if (view === "lift") return `${liftWords(scene)} Drag it, or use the arrow keys.`;
		if (view === "mistakes") return ABOUT_MISTAKES;
		if (view === "table") return "";
		const {ledger} = scene;
		const missing = scene.contour?.problem;
		if (missing) return missing;
		return (ledger?.run.answers && hasOwnLine(scene) ? ABOUT_MEAN : "") + ABOUT_PLANE;
	}

	drawChart() {
		const {studio, chart} = this;
		const {clientWidth: width, clientHeight: height} = chart;
		if (!width || !studio.answer?.runs.length) return;
		this.chartWith(penFor(chart, width, height), width, height);
		const counts = studio.answer.runs
			.map((run, i) => `${studio.runTitle(i)}: ${run.mistakes_per_epoch.slice(0, 30).join(", ")}`)
			.join("; ");
		chart.setAttribute("aria-label", `Mistakes in each epoch. ${counts}.`);
	}

	chartWith(pen, width, height) {
		const {studio} = this;
		const {shown, theme, textSize} = studio;
		const {runs} = studio.answer;
		const titles = runs.map((_, i) => studio.runTitle(i));
		const epoch = studio.ledger?.update(studio.at)?.epoch ?? null;
		drawMistakes(pen, width, height, {runs, titles, shown, epoch, theme, textSize});
	}
}
