// A question with choices: a prediction, after which what follows is shown, or a quiz.
import {button, setText} from "../views/dom.js";
import {keep, kept} from "../views/store.js";

const SEED = "rosenblatt-course-seed";

// The seed of this student's orders, chosen once and kept in this browser.
function ownSeed() {
	const seed = kept(SEED) ?? crypto.getRandomValues(new Uint32Array(1))[0];
	keep(SEED, seed);
	return seed;
}

// A generator of numbers below 2^32 from a seed and the name of a question (mulberry32).
function randomNumbers(seed, name) {
	let state = [...name].reduce((sum, char) => Math.imul(sum ^ char.charCodeAt(0), 16777619), seed);
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return (mixed ^ (mixed >>> 14)) >>> 0;
	};
}

// Put the choices in an order of the student's own (Fisher and Yates).
export function shuffleChoices(options, seed, name) {
	const random = randomNumbers(seed, name);
	const order = [...options];
	for (let last = order.length - 1; last > 0; last--) {
		const other = random() % (last + 1);
		[order[last], order[other]] = [order[other], order[last]];
	}
	const after = options.at(-1).nextSibling;
	for (const option of order) option.parentNode.insertBefore(option, after);
	return order;
}

export class Quiz {
	constructor(node, {done, covered}) {
		Object.assign(this, {node, done, covered});
		this.predicts = node.classList.contains("course-predict");
		const asked = node.querySelector("legend").textContent;
		this.options = shuffleChoices([...node.querySelectorAll(".course-option")], ownSeed(), asked);
		this.verdict = node.querySelector(".course-verdict");
		for (const option of this.options)
			option.querySelector("input").addEventListener("change", () => this.choose(option));
		if (covered) {
			covered.classList.add("covered");
			const skip = button("Show me without a prediction", () => this.reveal(), {
				class: "course-skip",
			});
			node.append(skip);
		}
	}

	choose(chosen) {
		const right = "right" in chosen.dataset;
		for (const option of this.options) option.classList.toggle("open", option === chosen);
		if (this.predicts) {
			for (const option of this.options) option.classList.add("open");
			setText(this.verdict, right ? "As you predicted." : "Not quite: compare with what you see.");
		} else setText(this.verdict, right ? "Right." : "Not this one. Try again.");
		this.node.classList.toggle("right", right);
		this.node.classList.toggle("wrong", !right);
		if (right || this.predicts) this.finish();
	}

	reveal() {
		for (const option of this.options) option.classList.add("open");
		this.finish();
	}

	finish() {
		this.node.querySelector(".course-skip")?.remove();
		this.covered?.classList.remove("covered");
		this.covered?.dispatchEvent(new Event("uncovered"));
		this.done();
	}
}
