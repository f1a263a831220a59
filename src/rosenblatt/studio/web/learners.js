// Which learners run beside each other, and the settings of each.
import {LEARNER_DEFAULTS, LEARNER_FIELDS} from "./address.js";
import {button, choice, el, labelled, numberBox, row} from "./dom.js";

const MOST_LEARNERS = 4;
const KINDS = {
	perceptron: "Perceptron",
	averaged: "Averaged",
	voted: "Voted",
	mira: "MIRA",
	pa: "Passive-aggressive",
	soft: "Soft (logistic)",
	kernel: "Kernel",
};
const VARIANTS = {PA: "PA", "PA-I": "PA-I", "PA-II": "PA-II"};
const KERNELS = {poly: "polynomial (γ·x·z + c)^d", rbf: "radial exp(−γ‖x − z‖²)"};
const BIAS = {yes: "learned", no: "none: through the origin"};

// The settings of one learner, which is the i-th; which of them there are depends on its kind.
function settingFields(bar, learner, i) {
	const set = (field) => (value) => bar.change(i, {[field]: value});
	const value = (field) => learner[field] ?? LEARNER_DEFAULTS[field];
	const number = (words, field, given = {min: "0"}) =>
		labelled(words, numberBox(value(field), set(field), given));
	const pick = (words, options, chosen, act) =>
		labelled(words, choice(Object.entries(options), chosen, act));
	const named = new Set(LEARNER_FIELDS[learner.kind]);
	const isPolynomial = value("kernel") === "poly";
	const many = bar.studio.marks.length > 2;
	const tie = many ? "counts as the last class of the tie" : "counts as the second class";
	const ties = {mistake: "is a mistake", positive: tie};
	const margin = learner.kind === "mira" ? "Also when right by less than" : "Margin";
	const make = {
		eta0: () => number("Learning rate η", "eta0"),
		margin: () => number(margin, "margin"),
		variant: () => pick("Variant", VARIANTS, value("variant"), set("variant")),
		C: () => number("Aggressiveness C", "C"),
		kernel: () => pick("Kernel", KERNELS, value("kernel"), set("kernel")),
		degree: () => (isPolynomial ? number("Degree d", "degree", {min: "1", step: "1"}) : null),
		gamma: () => number("γ", "gamma"),
		coef0: () => (isPolynomial ? number("Constant c", "coef0", {}) : null),
		ties: () => pick(many ? "A tie" : "A score of 0", ties, value("ties"), set("ties")),
		bias: () =>
			pick("Bias b", BIAS, value("bias") ? "yes" : "no", (word) => set("bias")(word === "yes")),
		initial: () => initialField(bar, learner, i),
	};
	return Object.keys(make)
		.filter((field) => named.has(field))
		.map((field) => make[field]());
}

function initialField(bar, learner, i) {
	const {answer} = bar.studio;
	const run = answer?.runs[i];
	const size = run ? run.vectors * (answer.data.features.length + 1) : 3;
	const box = el("input", {
		type: "text",
		inputmode: "text",
		value: learner.initial ? learner.initial.join(", ") : "",
		placeholder: "zeros",
	});
	box.addEventListener("change", () => {
		const numbers = box.value
			.split(/[\s,;]+/)
			.filter(Boolean)
			.map((word) => Number(word.replace("−", "-")));
		if (numbers.some((number) => !Number.isFinite(number)))
			bar.studio.tell("The first weights are numbers with commas between them, as in 3, 4, 0.");
		else bar.change(i, {initial: numbers.length ? numbers : null});
	});
	const order = run?.vectors > 1 ? "each class: its weights, then b" : "b last";
	return labelled(`First weights (${size} numbers, ${order})`, box);
}

export class LearnerBar {
	constructor(studio) {
		this.studio = studio;
		this.list = el("div", {class: "learners"});
		this.open = new Set();
		this.add = button("Compare with…", () => this.compare());
		this.node = el(
			"section",
			{class: "card bar edit", "aria-label": "Learners"},
			el("h2", {}, "Learner"),
			this.list,
			this.add,
		);
	}

	get learners() {
		return this.studio.state.learners ?? [];
	}

	show() {
		this.add.hidden = this.learners.length >= MOST_LEARNERS;
		const controls = () => Array.from(this.list.querySelectorAll("select, input, button, summary"));
		const at = controls().indexOf(document.activeElement);
		this.list.replaceChildren(...this.learners.map((learner, i) => this.card(learner, i)));
		if (at >= 0) controls()[at]?.focus();
	}

	card(learner, i) {
		const many = this.learners.length > 1;
		const details = el(
			"details",
			{open: this.open.has(i)},
			el("summary", {}, "Settings"),
			el("div", {class: "fields"}, settingFields(this, learner, i)),
		);
		details.addEventListener("toggle", () =>
			details.open ? this.open.add(i) : this.open.delete(i),
		);
		const kind = choice(Object.entries(KINDS), learner.kind, (name) => this.changeKind(i, name), {
			"aria-label": many ? `Learner ${i + 1}` : "Learner",
		});
		const given = {class: "small", title: "Remove", "aria-label": `Remove learner ${i + 1}`};
		const remove = many ? button("×", () => this.remove(i), given) : null;
		return el("div", {class: "learner"}, row(kind, remove), details);
	}

	put(learners) {
		this.studio.change({learners});
	}

	change(i, patch) {
		this.put(this.learners.map((learner, j) => (j === i ? {...learner, ...patch} : learner)));
	}

	changeKind(i, kind) {
		if (!this.learners[i]) return;
		const {ties, bias} = this.learners[i];
		this.put(this.learners.map((learner, j) => (j === i ? {kind, ties, bias} : learner)));
	}

	compare() {
		const {learners} = this;
		const taken = new Set(learners.map((learner) => learner.kind));
		const kind = Object.keys(KINDS).find((name) => !taken.has(name)) ?? "perceptron";
		const {ties, bias} = learners[0];
		this.put([...learners, {kind, ties, bias}].slice(0, MOST_LEARNERS));
	}

	remove(i) {
		if (this.learners.length > 1) this.put(this.learners.filter((_, j) => j !== i));
	}
}
