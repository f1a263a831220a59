// Which data, with which features, in which order.
import {counted} from "../engine/numbers.js";
import {TOO_LONG} from "./address_bar.js";
import {button, card, choice, el, labelled, numberBox, rest, row, setText} from "./dom.js";

const MAPS = {
	none: "none: x, y",
	product: "product: x, y, x·y",
	quadratic: "quadratic: x, y, x², x·y, y²",
};
const HELD = [
	["0", "none"],
	...[2, 3, 4, 5, 10].map((n) => [String(n), `every ${ordinal(n)} point`]),
];
const ORDERS = {given: "as it is", shuffled: "shuffled every epoch"};

function ordinal(n) {
	return n === 2 ? "2nd" : n === 3 ? "3rd" : `${n}th`;
}

export class DataBar {
	constructor(studio, openOwn) {
		this.studio = studio;
		this.about = el("p", {class: "quiet"});
		this.select = el("select", {on: {change: () => studio.usePreset(this.select.value)}});
		this.undo = button("Undo", () => studio.undo());
		const clear = button("Clear", () => studio.clear());
		this.node = card(
			"Data",
			"bar edit",
			labelled("Points", this.select),
			row(button("Your own data…", openOwn), this.undo, clear),
			this.about,
		);
	}

	show() {
		const {studio} = this;
		const presets = (studio.presets ?? []).map(({id, title}) => [id, title]);
		const own = studio.state.data?.preset ?? "";
		const options = own ? presets : [["", studio.name ?? "Your own points"], ...presets];
		this.select.replaceChildren(
			...options.map(([value, words]) => el("option", {value, selected: value === own}, words)),
		);
		rest(this.undo, studio.past.length === 0);
		const about = studio.presets?.find(({id}) => id === own)?.about;
		const points = counted(studio.points.rows.length, "point", "points");
		const classes = counted(studio.marks.length, "class", "classes");
		const words = own ? [about] : [`${points}, ${classes}.`, studio.own?.about ?? ""];
		if (!studio.addressBar.fits) words.push(TOO_LONG);
		setText(this.about, words.join(" ").trim());
	}
}

export class OrderBar {
	constructor(studio) {
		this.studio = studio;
		this.map = choice(Object.entries(MAPS), "none", (map) => studio.change({map}));
		this.order = choice(Object.entries(ORDERS), "given", (order) => studio.change({order}));
		const whole = (value, field, low) => {
			const act = (number) => studio.change({[field]: Math.max(low, Math.round(number))});
			return numberBox(value, act, {min: String(low), step: "1"});
		};
		const next = () => studio.change({seed: (studio.state.seed ?? 0) + 1, order: "shuffled"});
		this.held = choice(HELD, "0", (held) => studio.change({held: Number(held)}));
		this.seed = whole(0, "seed", 0);
		this.again = button("Another order", next, {class: "small"});
		this.epochs = whole(100, "epochs", 1);
		this.seedField = row(labelled("Seed", this.seed, "field inline"), this.again);
		this.node = card(
			"Features and order",
			"bar edit",
			labelled("Feature map", this.map),
			labelled("Order of the points", this.order),
			this.seedField,
			labelled("Held out, to test", this.held),
			el("details", {}, el("summary", {}, "More"), labelled("Epochs at most", this.epochs)),
		);
	}

	show() {
		const {state} = this.studio;
		this.map.value = state.map ?? "none";
		this.order.value = state.order ?? "given";
		this.held.value = String(state.held ?? 0);
		this.seed.value = String(state.seed ?? 0);
		this.epochs.value = String(state.epochs ?? 100);
		this.seedField.hidden = this.order.value !== "shuffled";
	}
}
