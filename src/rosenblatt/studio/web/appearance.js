// Light or dark, and how large the type is: the page's own choice, or that of whoever looks.
import {button, press, setText} from "./dom.js";
import {LOOKS} from "./look.js";

export class Appearance {
	constructor(studio) {
		this.studio = studio;
		this.chosen = null;
		this.dark = window.matchMedia("(prefers-color-scheme: dark)");
		this.dark.addEventListener("change", () => this.wear());
		this.lookButton = button("Dark", () => this.switchLook());
		this.sizeButton = button("Larger type", () => this.switchSize(), {"aria-pressed": "false"});
	}

	get isDark() {
		return this.chosen ? this.chosen === "dark" : this.dark.matches;
	}

	get look() {
		return this.isDark ? LOOKS.dark : LOOKS.light;
	}

	get textSize() {
		return (Number.parseFloat(getComputedStyle(this.studio.root).fontSize) || 16) * 0.72;
	}

	switchLook() {
		this.chosen = this.isDark ? "light" : "dark";
		this.wear();
	}

	switchSize() {
		press(this.sizeButton, this.studio.root.classList.toggle("projector"));
		this.wear();
	}

	wear() {
		const {studio, isDark} = this;
		for (const node of [studio.root, ...(studio.address ? [document.body] : [])]) {
			node.classList.toggle("dark", isDark);
			node.classList.toggle("light", !isDark);
		}
		setText(this.lookButton, isDark ? "Light" : "Dark");
		if (studio.answerNumber) studio.refresh();
	}
}
