// Light or dark, and how large the type is: the page's own choice, or that of whoever looks. The
// colours are those of the library's own pictures.
import {button, press, setText} from "./dom.js";

const THEMES = {
	light: {
		paper: "#ffffff",
		ink: "#1b1e23",
		faint: "#6c737d",
		rule: "#e2e5e9",
		alarm: "#b00020",
		palette: ["#0072b2", "#d55e00", "#186149", "#6d0079", "#995ffd", "#313d00"],
	},
	dark: {
		paper: "#16181d",
		ink: "#e8eaed",
		faint: "#969da8",
		rule: "#33373f",
		alarm: "#ff8a80",
		palette: ["#56b4e9", "#e69f00", "#79ffdb", "#ce3d61", "#7e5bec", "#ffff3d"],
	},
};

export function classColour(theme, place) {
	return theme.palette[place % theme.palette.length];
}

export function channels(colour) {
	return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}

// A colour thinned with the paper; unlike transparency it does not add up where areas meet.
export function thinned(theme, colour, share = 0.13) {
	const paper = channels(theme.paper);
	const mixed = channels(colour).map((value, i) =>
		Math.round(share * value + (1 - share) * paper[i]),
	);
	return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

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
