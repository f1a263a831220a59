// The colours of the page, light and dark: the same as those of the library's own pictures.

export const THEMES = {
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
