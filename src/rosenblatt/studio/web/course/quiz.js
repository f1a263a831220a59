// A question with choices: a prediction, after which what follows is shown, or a quiz.
import {button, setText} from "../views/dom.js";

export class Quiz {
	constructor(node, {done, covered}) {
		Object.assign(this, {node, done, covered});
		this.predicts = node.classList.contains("course-predict");
		this.options = [...node.querySelectorAll(".course-option")];
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
