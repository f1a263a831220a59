// For a projector: a layout in which nothing moves, full screen, and a clicker that always works.
import {button, el} from "./dom.js";
import {QrDialog} from "./qr_dialog.js";
import {SpeakerNotes} from "./speaker_notes.js";

// What clickers send, and what they send for a dark screen.
const STEPS = {PageDown: 1, ArrowRight: 1, ArrowDown: 1, PageUp: -1, ArrowLeft: -1, ArrowUp: -1};
const DARK = [".", "b", "B"];

export class Lecture {
	constructor(studio) {
		this.studio = studio;
		this.keys = (event) => this.key(event);
		this.notes = new SpeakerNotes(studio, this.keys);
		this.qr = new QrDialog();
		this.start = button("Lecture", () => this.begin(), {class: "start-lecture"});
		const notes = button("Notes", () => this.openNotes(), {"aria-keyshortcuts": "n"});
		const code = button("QR code", () => this.qr.open());
		const leave = button("Leave", () => this.end());
		this.bar = el("div", {class: "row lecture-bar"}, notes, code, leave);
		this.curtain = el("div", {class: "curtain", hidden: true});
		this.nodes = [this.qr.node, this.curtain];
		document.addEventListener("fullscreenchange", () => {
			if (this.isFull && !document.fullscreenElement) this.end();
			this.isFull = Boolean(document.fullscreenElement);
		});
	}

	get isOn() {
		return this.studio.root.classList.contains("lecture");
	}

	get cards() {
		return [this.studio.updateCard, this.studio.theoryCard];
	}

	begin() {
		const {root} = this.studio;
		root.classList.add("lecture");
		window.addEventListener("keydown", this.keys, true);
		// Where a browser refuses, the layout is that of the window.
		root.requestFullscreen?.().catch(() => {});
		// What does not fit into its box can be scrolled to by keys.
		for (const {node} of this.cards) node.tabIndex = 0;
		this.studio.moved(true);
		this.bar.querySelector("button").focus();
	}

	end() {
		if (!this.isOn) return;
		this.studio.root.classList.remove("lecture");
		window.removeEventListener("keydown", this.keys, true);
		for (const {node} of this.cards) node.removeAttribute("tabindex");
		this.curtain.hidden = true;
		this.notes.close();
		if (document.fullscreenElement) document.exitFullscreen();
		this.studio.moved(true);
		this.start.focus();
	}

	openNotes() {
		if (!this.notes.open())
			this.studio.tell("The browser opened no window for the notes: allow pop-ups for this page.");
	}

	// Before anything that has the focus hears of it; text that is typed stays with its box.
	key(event) {
		const {target, key} = event;
		if (!this.isOn || event.ctrlKey || event.metaKey || event.altKey) return;
		const isTyping = target.matches?.("textarea, input[type=url]");
		if (isTyping && !key.startsWith("Page")) return;
		const step = STEPS[key];
		const {playback, position} = this.studio;
		if (step) playback.jump(position.place + step);
		else if (key === "Home") playback.jump(0);
		else if (key === "End") playback.jump(position.reach);
		else if (DARK.includes(key)) this.curtain.hidden = !this.curtain.hidden;
		else if (key === "n" || key === "N") this.openNotes();
		else if (key === "Escape" && !this.qr.node.open) this.end();
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}
