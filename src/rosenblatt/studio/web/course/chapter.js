// Makes a chapter live: its figures, questions and exercises, and how much of it is done.
import {button, el, setText} from "../views/dom.js";
import {Exercise} from "./exercise.js";
import {Figure} from "./figure.js";
import {progress} from "./progress.js";
import {Quiz} from "./quiz.js";
import {Retina} from "./retina.js";

export class Chapter {
	constructor(root, name, {ask, mount, isDark}) {
		Object.assign(this, {root, name});
		root.classList.add("course-live");
		const tasks = [...root.querySelectorAll(".course-question, .course-exercise")];
		this.blocks = tasks.map((node) => node.id);
		this.figures = [];
		const figureIn = (node) => {
			const figure = new Figure(node, {ask, mount, isDark});
			this.figures.push(figure);
			return figure;
		};
		for (const node of root.querySelectorAll(".course-figure")) figureIn(node);
		for (const node of root.querySelectorAll(".course-retina")) new Retina(node);
		for (const node of tasks) {
			const done = () => this.mark(node.id);
			if (node.classList.contains("course-exercise"))
				new Exercise(node, {ask, figure: figureIn(node), done});
			else new Quiz(node, {done, covered: coveredBy(node)});
			node.classList.toggle("done", progress.done(name).includes(node.id));
		}
		for (const code of root.querySelectorAll("pre")) code.tabIndex = 0; // it may be too wide
		this.said = el("span", {role: "status"});
		const print = button("Print", () => this.print());
		this.bar = el("p", {class: "course-bar"}, this.said, print);
		root.querySelector("h1")?.after(this.bar);
		this.count();
	}

	mark(block) {
		progress.mark(this.name, block);
		this.root.querySelector(`#${block}`).classList.add("done");
		this.count();
	}

	count() {
		const done = progress.done(this.name).filter((block) => this.blocks.includes(block)).length;
		setText(this.said, `${done} of ${this.blocks.length} questions and exercises done`);
	}

	dress() {
		for (const figure of this.figures) figure.dress();
	}

	// All figures are drawn first, in light colours and as wide as paper is, so that it shows what
	// the screen does.
	async print() {
		this.root.classList.add("course-printed");
		await Promise.all(this.figures.map((figure) => figure.show()));
		for (const figure of this.figures) figure.dress(false);
		await new Promise((resolve) => setTimeout(resolve, 300));
		window.print();
		this.root.classList.remove("course-printed");
		this.dress();
	}
}

// A prediction covers the figure or the code that comes right after it.
function coveredBy(node) {
	const next = node.nextElementSibling;
	const predicts = node.classList.contains("course-predict");
	return predicts && next?.matches(".course-figure, .course-retina, .highlight, pre") ? next : null;
}
