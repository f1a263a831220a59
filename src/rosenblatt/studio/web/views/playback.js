// Travelling in time: step, back, play, and a slider to any update.
import {button, choice, el, labelled, press, rest, row, setText} from "./dom.js";

const SPEEDS = ["0.5", "1", "3", "10", "60", "600"].map((speed) => [speed, `${speed} / s`]);

export class Playback {
	constructor(studio) {
		this.studio = studio;
		this.speed = 1;
		this.playing = null;
		this.start = button("« Start", () => this.jump(0));
		this.back = button("‹ Back", () => this.jump(studio.at - 1));
		this.step = button("Step ›", () => this.jump(studio.at + 1), {class: "main"});
		this.end = button("End »", () => this.jump(studio.length));
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
		this.node = el(
			"div",
			{class: "playback", role: "group", "aria-label": "Steps of the run"},
			row(this.start, this.back, this.step, this.end, this.play, speed),
			el("div", {class: "row grow"}, this.slider, number, this.of),
		);
	}

	jump(k) {
		this.pause();
		this.studio.goTo(k);
	}

	run() {
		const {studio} = this;
		if (studio.at >= studio.length) studio.goTo(0);
		// Where less motion is asked for, the picture changes once a second at most.
		const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
		let due = performance.now();
		let done = studio.at;
		const tick = (now) => {
			const speed = calm ? Math.min(1, this.speed) : this.speed;
			const steps = Math.floor(((now - due) / 1000) * speed);
			if (steps > 0) {
				due += (steps * 1000) / speed;
				done = Math.min(studio.length, studio.at + steps);
				studio.goTo(done, {quiet: speed > 1});
			}
			if (studio.at >= studio.length) this.pause();
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
		const {at, length} = this.studio;
		this.slider.max = this.number.max = String(length);
		this.slider.value = this.number.value = String(at);
		this.slider.setAttribute("aria-valuetext", `Update ${at} of ${length}`);
		setText(this.of, `of ${length.toLocaleString("en")}`);
		// A button that goes dead under the finger loses the focus; these only say that they rest.
		for (const node of [this.start, this.back]) rest(node, at === 0);
		for (const node of [this.step, this.end]) rest(node, at >= length);
		rest(this.play, length === 0);
		this.slider.disabled = length === 0;
	}
}
