// Light or dark, and how large the type is: the page's own choice, or that of whoever looks.
import {button, press, setText} from "./dom.js";
import {THEMES} from "./theme.js";

export class Appearance {
	constructor(studio) {
		this.studio = studio;
		this.chosen = null;
		this.dark = window.matchMedia("(prefers-color-scheme: dark)");
		this.dark.addEventListener("change", () => this.apply());
		this.themeButton = button("Dark", () => this.switchTheme());
		this.sizeButton = button("Larger type", () => this.switchSize(), {"aria-pressed": "false"});
	}

	get isDark() {
		return this.chosen ? this.chosen === "dark" : this.dark.matches;
	}

	get theme() {
		return this.isDark ? THEMES.dark : THEMES.light;
	}

	get textSize() {
		return (Number.parseFloat(getComputedStyle(this.studio.root).fontSize) || 16) * 0.72;
	}

	switchTheme() {
		this.chosen = this.isDark ? "light" : "dark";
		this.apply();
	}

	switchSize() {
		press(this.sizeButton, this.studio.root.classList.toggle("projector"));
		this.apply();
	}

	apply() {
		const {studio, isDark} = this;
		for (const node of [studio.root, ...(studio.address ? [document.body] : [])]) {
			node.classList.toggle("dark", isDark);
			node.classList.toggle("light", !isDark);
		}
		setText(this.themeButton, isDark ? "Light" : "Dark");
		if (studio.answerNumber) studio.refresh();
	}
}
