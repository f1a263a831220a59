// The course in one page: a list of chapters, and the one that is open.
import {button, el} from "../views/dom.js";
import {Chapter} from "./chapter.js";
import {progress} from "./progress.js";

const LEDE =
	"Ten short chapters on the perceptron, with figures that learn, predictions before each " +
	"reveal, and exercises that the page checks by running your points.";

export class Book {
	constructor(root, templates, live) {
		Object.assign(this, {root, live});
		this.chapters = templates.map((template) => ({
			name: template.dataset.chapter,
			title: template.content.querySelector("h1").textContent,
			template,
		}));
	}

	open(name) {
		const place = this.chapters.findIndex((chapter) => chapter.name === name);
		this.opened = null;
		this.root.replaceChildren(place < 0 ? this.contents() : this.chapter(place));
		window.scrollTo(0, 0);
	}

	contents() {
		const items = this.chapters.map(({name, title}) => {
			const count = progress.done(name).length;
			const link = el("a", {href: `#course=${name}`}, title);
			return el("li", {}, link, count ? ` · ${count} done` : "");
		});
		const forget = button("Forget my progress", () => {
			progress.forget();
			this.open(null);
		});
		const kept = "What you have done is kept in this browser and sent nowhere.";
		const note = el("p", {class: "course-bar"}, kept, forget);
		const list = el("ul", {class: "course-list"}, items);
		return this.page(el("h1", {}, "The course"), el("p", {}, LEDE), list, note);
	}

	chapter(place) {
		const {name, template} = this.chapters[place];
		const link = (other, words) =>
			other ? el("a", {href: `#course=${other.name}`}, words(other.title)) : "";
		const before = link(this.chapters[place - 1], (title) => `‹ ${title}`);
		const after = link(this.chapters[place + 1], (title) => `${title} ›`);
		const all = el("a", {href: "#course=all"}, "All chapters");
		const ways = el("nav", {class: "course-ways", "aria-label": "Chapters"}, before, all, after);
		const node = this.page(template.content.cloneNode(true), ways);
		this.opened = new Chapter(node, name, this.live);
		return node;
	}

	page(...parts) {
		const {isDark, setDark} = this.live;
		const words = () => (isDark() ? "Light" : "Dark");
		const theme = button(words(), () => {
			setDark(!isDark());
			theme.textContent = words();
			this.opened?.dress();
		});
		const studio = el("a", {href: "#preset=six"}, "The studio");
		const top = el("nav", {class: "course-bar course-top", "aria-label": "Page"}, studio, theme);
		return el("article", {class: "course-chapter"}, top, ...parts);
	}
}
