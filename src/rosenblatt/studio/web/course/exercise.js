// An exercise: points or settings to be found, or numbers to be worked out. The engine checks both.
import {readAddress} from "../state/address.js";
import {button, el, labelled, setText} from "../views/dom.js";
import {fact, factTitle, judged, near} from "./facts.js";

const HINT = "A decimal, a fraction or a root: −0.75, −3/4, 2√5";

export class Exercise {
	constructor(node, {ask, figure, done}) {
		Object.assign(this, {node, ask, figure, done, given: node.dataset});
		this.verdict = node.querySelector(".course-verdict");
		this.list = el("ul", {class: "course-conditions"});
		this.boxes = (this.given.answer ?? "")
			.split(",")
			.filter(Boolean)
			.map((name) => {
				const box = el("input", {type: "text", autocomplete: "off", title: HINT});
				return {name: name.trim(), box};
			});
		const check = button("Check", () => this.check(), {class: "main"});
		const solve = button("Show a solution", () => this.solve());
		solve.hidden = true;
		this.solver = solve;
		const again = this.boxes.length ? null : button("Start again", () => this.restart());
		const inputs = this.boxes.map(({name, box}) => labelled(factTitle(name), box, "field inline"));
		this.verdict.before(el("div", {class: "course-row"}, ...inputs, check, solve, again));
		this.verdict.after(this.list);
	}

	async start() {
		this.before ??= await this.ask("run", readAddress(this.given.address).state);
		return this.before;
	}

	async check() {
		const before = await this.start();
		const judgements = this.boxes.length ? this.typed(before) : await this.made(before);
		const right = judgements.every(({holds}) => holds);
		this.node.classList.toggle("right", right);
		this.node.classList.toggle("wrong", !right);
		setText(this.verdict, right ? "Solved." : "Not yet.");
		const items = judgements.map(({holds, words}) => el("li", {}, `${holds ? "✓" : "✗"} ${words}`));
		this.list.replaceChildren(...items);
		this.solver.hidden = right;
		if (!right) return;
		if (this.boxes.length) this.figure.show();
		this.done();
	}

	typed(before) {
		return this.boxes.map(({name, box}) => {
			const holds = near(fact(name, before), box.value);
			return {holds, words: `${factTitle(name)}: ${box.value || "empty"}`};
		});
	}

	async made(before) {
		const studio = await this.figure.show();
		while (studio.running) await new Promise((resolve) => setTimeout(resolve, 20));
		if (!studio.answer) return [{holds: false, words: studio.problem ?? "there are no points"}];
		return judged(this.given.check, studio.answer, before);
	}

	async solve() {
		const before = await this.start();
		for (const {name, box} of this.boxes)
			box.value = String(Number(fact(name, before).toPrecision(4)));
		if (this.boxes.length) await this.figure.show();
		else await this.figure.load(this.given.solution);
	}

	async restart() {
		await this.figure.load(this.given.address);
		this.list.replaceChildren();
		setText(this.verdict, "");
		this.node.classList.remove("right", "wrong");
	}
}
