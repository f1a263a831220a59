// Taking it home: pictures of the view, the table, the run, code, and the studio itself.
import {TOO_LONG} from "./address_bar.js";
import {button, el, listen, saveFile, setText} from "./dom.js";
import {CanvasPen, SvgPen} from "./pen.js";

const HEADING = 58;
const LINE = 110;
const PNG_WIDTH = 2400;

// How large the present view is on the page, with a heading; a saved picture shows the same.
function slideOf(studio) {
	const {stage} = studio;
	const {view} = studio.state;
	if (view === "mistakes" || view === "table") {
		const [width, height] = [stage.chart.clientWidth || 900, stage.chart.clientHeight || 560];
		const draw = (pen) => pen.shifted(0, HEADING, () => stage.chartWith(pen, width, height));
		return {width, height: height + HEADING, draw};
	}
	const {clientWidth: w, clientHeight: h} = stage.pictures[0].surface;
	const count = stage.pictures.length;
	const across = count > 1 ? 2 : 1;
	const title = count > 1 ? 26 : 0;
	const draw = (pen, theme) => {
		for (const [i, picture] of stage.pictures.entries()) {
			pen.shifted((i % across) * w, HEADING + Math.floor(i / across) * (h + title), () => {
				if (title) pen.text(42, 18, studio.runTitle(i), {fill: theme.ink, size: 14, bold: true});
				pen.shifted(0, title, () => picture.drawWith(pen, w, h));
			});
		}
	};
	return {width: w * across, height: HEADING + Math.ceil(count / across) * (h + title), draw};
}

function drawSlide(studio, pen, slide) {
	const {theme} = studio;
	const words = studio.updateCard.sentence();
	const most = Math.max(20, Math.floor((LINE * slide.width) / 800));
	const cut = words.length > most ? words.lastIndexOf(" ", most) : words.length;
	const rest = words.slice(cut).trim();
	const style = {fill: theme.ink, size: 14};
	pen.text(10, 22, words.slice(0, cut), style);
	pen.text(10, 42, rest.length > most ? `${rest.slice(0, most - 1)}…` : rest, style);
	slide.draw(pen, theme);
}

function asSvg(studio) {
	const slide = slideOf(studio);
	const pen = new SvgPen(slide.width, slide.height, studio.theme.paper);
	drawSlide(studio, pen, slide);
	return pen.finished(studio.updateCard.sentence());
}

function asPng(studio) {
	const slide = slideOf(studio);
	const canvas = document.createElement("canvas");
	const scale = PNG_WIDTH / slide.width;
	[canvas.width, canvas.height] = [PNG_WIDTH, Math.round(scale * slide.height)];
	const context = canvas.getContext("2d");
	context.fillStyle = studio.theme.paper;
	context.fillRect(0, 0, canvas.width, canvas.height);
	context.scale(scale, scale);
	drawSlide(studio, new CanvasPen(context), slide);
	return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function asJson(studio) {
	return JSON.stringify({...studio.answer, state: studio.sent()}, null, 1);
}

export class ExportMenu {
	constructor(studio) {
		this.studio = studio;
		this.said = el("span", {class: "unseen", role: "status"});
		const sent = () => studio.sent();
		const save = (file, type, made) => async () => saveFile(file, await made(), type);
		const asked = (name, file, type, body = sent) =>
			save(file, type, async () => (await studio.ask(name, body())).text);
		const ofShown = () => ({state: sent(), run: studio.shown});
		const notebook = asked("notebook", "perceptron_run.ipynb", "application/x-ipynb+json");
		const page = asked("page", "perceptron_run.html", "text/html");
		const address = () => {
			if (!studio.addressBar.fits) throw new Error(TOO_LONG);
			return navigator.clipboard.writeText(location.href);
		};
		const entries = [
			["Picture of this view (PNG)", save("perceptron.png", "image/png", () => asPng(studio))],
			["Picture of this view (SVG)", save("perceptron.svg", "image/svg+xml", () => asSvg(studio))],
			["Table of updates (CSV)", asked("csv", "updates.csv", "text/csv", ofShown)],
			["The whole run (JSON)", save("run.json", "application/json", () => asJson(studio))],
			["Python script", asked("script", "perceptron_run.py", "text/x-python")],
			["Notebook", notebook],
			["The studio in one file (HTML)", page],
			["Copy the address of this state", address, studio.address],
		].filter(([, , possible = true]) => possible);
		const buttons = entries.map(([words, act]) => button(words, () => this.run(words, act)));
		const items = buttons.map((entry) => el("li", {}, entry));
		const list = el("ul", {}, items);
		this.node = el("details", {class: "menu"}, el("summary", {}, "Export"), list, this.said);
		listen(this.node, {
			keydown: ({key}) => key === "Escape" && this.close(),
			focusout: ({relatedTarget: next}) => {
				if (next && !this.node.contains(next)) this.node.open = false;
			},
		});
	}

	close() {
		this.node.open = false;
		this.node.querySelector("summary").focus();
	}

	async run(words, act) {
		if (!this.studio.ledger) {
			this.studio.tell("There is nothing to export yet: add points first.");
			return;
		}
		try {
			await act();
			setText(this.said, `Done: ${words}.`);
		} catch (error) {
			this.studio.tell(error.message);
		}
		this.close();
	}
}
