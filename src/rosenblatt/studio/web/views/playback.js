// Travelling in time: step, back, play, and a slider to any update.
import {grouped} from "../engine/numbers.js";
import {button, checkBox, choice, el, labelled, press, rest, row, setText} from "./dom.js";
import {keep, kept} from "./store.js";

const SPEEDS = ["0.5", "1", "3", "10", "60", "600"].map((speed) => [speed, `${speed} / s`]);

const EACH = [
	["update", "each update"],
	["example", "each example"],
];
const AUTO = "rosenblatt-autoplay";
// A run that is presented lasts so many seconds.
const LONGEST = 8;

const lessMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Playback {
	constructor(studio) {
		this.studio = studio;
		this.speed = 1;
		this.playing = null;
		const {position} = studio;
		this.start = button("« Start", () => this.jump(0));
		this.back = button("‹ Back", () => this.jump(position.place - 1));
		this.step = button("Step ›", () => this.jump(position.place + 1), {class: "main"});
		this.end = button("End »", () => this.jump(position.reach));
		const turn = () => (this.playing ? this.pause() : this.run());
		this.play = button("Play", turn, {"aria-pressed": "false"});
		const whole = {min: "0", step: "1", value: "0"};
		const named = {class: "slider", "aria-label": "Update"};
		const go = ({target}) => this.jump(Number(target.value) || 0);
		this.slider = el("input", {type: "range", max: "0", ...whole, ...named, on: {input: go}});
		this.number = el("input", {type: "number", ...whole, class: "at", on: {change: go}});
		this.of = el("span", {class: "of"});
		this.pace = choice(SPEEDS, "1", (value) => {
			this.speed = Number(value);
		});
		const speed = labelled("Speed", this.pace, "field inline");
		const number = labelled("Update", this.number, "field inline");
		this.unit = number.firstChild;
		// Who comes back may want it quiet; it is kept in this browser.
		this.auto = checkBox(kept(AUTO) !== false, (isWanted) => keep(AUTO, isWanted));
		const auto = labelled("Play when opened", this.auto, "field inline check auto");
		auto.hidden = !studio.play;
		this.each = choice(EACH, "update", (each) => position.stepBy(each));
		const each = labelled("Steps", this.each, "field inline");
		this.node = el(
			"div",
			{class: "playback", role: "group", "aria-label": "Steps of the run"},
			row(this.start, this.back, this.step, this.end, this.play, speed),
			el("div", {class: "row grow"}, this.slider, number, this.of, each, auto),
		);
	}

	jump(k) {
		this.pause();
		this.studio.position.moveTo(k);
	}

	// From the first update to the last, in some seconds; where less motion is asked for, the last.
	present() {
		const {studio} = this;
		if (!this.auto.checked) return;
		if (lessMotion()) {
			studio.goTo(studio.length);
			return;
		}
		const fits = ([speed]) => studio.length <= LONGEST * Number(speed);
		const [speed] = SPEEDS.find(fits) ?? SPEEDS.at(-1);
		this.speed = Math.max(1, Number(speed));
		this.pace.value = String(this.speed);
		studio.goTo(1, {quiet: true});
		if (studio.length > 1) this.run();
	}

	run() {
		const {position} = this.studio;
		if (position.place >= position.reach) position.moveTo(0);
		// Where less motion is asked for, the picture changes once a second at most.
		const calm = lessMotion();
		let due = performance.now();
		const tick = (now) => {
			const speed = calm ? Math.min(1, this.speed) : this.speed;
			const steps = Math.floor(((now - due) / 1000) * speed);
			if (steps > 0) {
				due += (steps * 1000) / speed;
				position.moveTo(position.place + steps, {quiet: speed > 1});
			}
			if (position.place >= position.reach) this.pause();
			else if (this.playing) this.playing = requestAnimationFrame(tick);
		};
		this.playing = requestAnimationFrame(tick);
		setText(this.play, "Pause");
		press(this.play, true);
	}

	pause() {
		if (!this.playing) return;
		cancelAnimationFrame(this.playing);
		this.playing = null;
		setText(this.play, "Play");
		press(this.play, false);
		this.studio.announce();
	}

	show() {
		const {position, state} = this.studio;
		const {place, reach, visits} = position;
		this.slider.max = this.number.max = String(reach);
		this.slider.value = this.number.value = String(place);
		const unit = visits ? "Example" : "Update";
		this.slider.setAttribute("aria-valuetext", `${unit} ${place} of ${reach}`);
		this.slider.setAttribute("aria-label", unit);
		setText(this.unit, unit);
		setText(this.of, `of ${grouped(reach)}`);
		this.each.value = state.each ?? "update";
		// A button that goes dead under the finger loses the focus; these only say that they rest.
		for (const node of [this.start, this.back]) rest(node, place === 0);
		for (const node of [this.step, this.end]) rest(node, place >= reach);
		rest(this.play, reach === 0);
		this.slider.disabled = reach === 0;
	}
}
