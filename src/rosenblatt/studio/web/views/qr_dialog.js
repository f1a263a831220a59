// The address of the page as a code that phones read.
import {qrCode} from "../engine/qr_code.js";
import {button, el, labelled, setText, svgNode} from "./dom.js";
import {keep, kept} from "./store.js";

const KEY = "rosenblatt-host";
const EDGE = 4;
const FAR =
	"This address is known to this machine alone: " +
	"put the file on a web server and type its address here.";
const LOCAL = /^(file:|https?:\/\/(127\.|localhost|\[::1\]))/;

export class QrDialog {
	constructor() {
		this.picture = svgNode("svg", {role: "img", class: "qr-code"});
		this.words = el("p", {class: "qr-address"});
		this.note = el("p", {class: "quiet", role: "status"});
		this.host = el("input", {type: "url", on: {input: () => this.draw()}});
		const close = button("Close", () => this.node.close(), {class: "main"});
		const host = labelled("Where this page can be found", this.host);
		const name = {"aria-label": "Address as a QR code"};
		const body = [this.picture, this.words, host, this.note, close];
		this.node = el("dialog", {class: "card qr", ...name}, body);
	}

	open() {
		const here = location.href.split("#")[0];
		this.host.value = kept(KEY) ?? here;
		this.draw();
		this.node.showModal();
	}

	draw() {
		const host = this.host.value.trim();
		keep(KEY, host === location.href.split("#")[0] ? null : host);
		const address = host.split("#")[0] + location.hash;
		const rows = qrCode(address);
		this.picture.replaceChildren(...(rows ? drawn(this.picture, rows) : []));
		this.picture.setAttribute("aria-label", `QR code of ${address}`);
		setText(this.words, address.length > 120 ? `${address.slice(0, 119)}…` : address);
		const far = LOCAL.test(host) ? FAR : "";
		setText(this.note, rows ? far : "The address is too long for a code: use fewer points.");
	}
}

function drawn(svg, rows) {
	const side = rows.length + 2 * EDGE;
	svg.setAttribute("viewBox", `0 0 ${side} ${side}`);
	const path = rows.flatMap((row, r) =>
		row.flatMap((dark, c) => (dark ? `M${c + EDGE} ${r + EDGE}h1v1h-1z` : [])),
	);
	const sheet = svgNode("rect", {width: side, height: side, fill: "#ffffff"});
	return [sheet, svgNode("path", {d: path.join(""), fill: "#000000"})];
}
