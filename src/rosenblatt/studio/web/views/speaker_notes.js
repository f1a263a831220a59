// Notes for the speaker in a window of their own: what is shown, what comes next, what the course
// says about it, and what to say.
import {vector} from "../engine/numbers.js";
import {updateSentence} from "../engine/step_formulas.js";
import {button, el, labelled, row, setText} from "./dom.js";
import {keep, kept} from "./store.js";

const KEY = "rosenblatt-notes";

export class SpeakerNotes {
	constructor(studio, keys) {
		Object.assign(this, {studio, keys});
		this.place = el("h1", {});
		this.about = el("p", {});
		this.now = el("p", {});
		this.next = el("p", {});
		this.clock = el("p", {class: "quiet"});
		this.text = el("textarea", {rows: "10", on: {input: () => this.keep()}});
		const steps = row(
			button("‹ Back", () => studio.position.moveBy(-1)),
			button("Step ›", () => studio.position.moveBy(1), {class: "main"}),
		);
		// What the course says of these points, by chapter.
		this.chapter = el("select", {on: {change: () => this.hint()}});
		this.hints = el("dl", {class: "hints"});
		const titled = (words, node) => el("section", {}, el("h2", {}, words), node);
		this.node = el(
			"main",
			{class: "studio notes"},
			this.place,
			this.about,
			titled("On the screen", this.now),
			titled("Next, so ask first", this.next),
			steps,
			labelled("From the course", this.chapter, "field inline"),
			this.hints,
			labelled("Your notes on these points, kept in this browser", this.text),
			this.clock,
		);
	}

	// False if the browser opens no window.
	open() {
		const other = window.open("", "rosenblatt-notes", "popup,width=640,height=760");
		if (!other) return false;
		const {document: sheet} = other;
		sheet.title = "Speaker notes";
		sheet.documentElement.lang = "en";
		for (const style of document.querySelectorAll("style, link[rel=stylesheet]"))
			sheet.head.append(style.cloneNode(true));
		sheet.body.className = document.body.className;
		sheet.body.replaceChildren(this.node);
		this.node.classList.toggle("dark", this.studio.appearance.isDark);
		other.addEventListener("keydown", this.keys, true);
		this.window = other;
		this.since ??= Date.now();
		this.ticking ??= setInterval(() => this.tick(), 1000);
		this.show();
		this.tick();
		return true;
	}

	close() {
		this.window?.close();
		clearInterval(this.ticking);
		[this.window, this.ticking, this.since] = [null, null, null];
	}

	tick() {
		const seconds = Math.floor((Date.now() - this.since) / 1000);
		const past = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
		setText(this.clock, `${past} since the lecture began`);
	}

	get key() {
		const {data} = this.studio.state;
		return data?.preset ?? JSON.stringify(data?.rows ?? []);
	}

	show() {
		if (!this.window || this.window.closed) return;
		const {ledger, presets, updateCard} = this.studio;
		const {visits, place, reach} = this.studio.position;
		const unit = visits ? "Example" : "Update";
		setText(this.place, ledger ? `${unit} ${place} of ${reach}` : "No run");
		const preset = presets?.find(({id}) => id === this.studio.state.data?.preset);
		setText(this.about, preset ? `${preset.title}. ${preset.about}` : "Points of your own.");
		setText(this.now, updateCard.sentence());
		setText(this.next, ledger && place < reach ? this.comes(place + 1) : "This is the end.");
		if (this.shownKey !== this.key) {
			this.shownKey = this.key;
			this.text.value = kept(KEY)?.[this.key] ?? "";
			this.choose();
		}
	}

	// The chapter one came from, or the first with a figure of these points.
	choose() {
		const {courseNotes = [], fromChapter, state} = this.studio;
		const has = ({presets}) => presets.includes(state.data?.preset);
		const chosen = courseNotes.find(({name}) => name === fromChapter) ?? courseNotes.find(has);
		const options = courseNotes.map(({name, title}) => el("option", {value: name}, title));
		this.chapter.replaceChildren(el("option", {value: ""}, "no chapter"), ...options);
		this.chapter.value = chosen?.name ?? "";
		this.hint();
	}

	hint() {
		const chosen = this.studio.courseNotes?.find(({name}) => name === this.chapter.value);
		const pairs = (chosen?.hints ?? []).flatMap(([title, words]) => [
			el("dt", {}, title),
			el("dd", {}, words),
		]);
		this.hints.replaceChildren(...pairs);
	}

	comes(place) {
		const {ledger, answer, marks, points, position} = this.studio;
		if (!position.visits) return updateSentence(ledger, place, ledger.length, marks, answer.data);
		const {row: next, before, after} = position.visits.at(place, points.labels);
		const label = marks[points.labels[next]].name;
		const change = after === before ? "nothing changes" : "the weights change";
		return `Point ${next + 1} at ${vector(points.rows[next])}, class ${label}: ${change}.`;
	}

	keep() {
		keep(KEY, {...kept(KEY), [this.key]: this.text.value});
	}
}
