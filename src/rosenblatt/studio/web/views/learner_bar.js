// Which learners run beside each other, and the settings of each.
import {fieldOf, learnerKinds, learnerOf} from "../state/catalogue.js";
import {button, choice, el, labelled, numberBox, row} from "./dom.js";

const MOST_LEARNERS = 4;
// Settings that the learners have in common: they stay when another learner is chosen.
const COMMON = ["ties", "fit_intercept"];

// What a choice is called where its word alone would not tell a reader enough.
function wordsOf(field, choiceWord, many) {
	const words = {
		ties: {
			mistake: "is a mistake",
			positive: many ? "counts as the last class of the tie" : "counts as the second class",
		},
		fit_intercept: {yes: "learned", no: "none: through the origin"},
		average: {no: "the last w", yes: "the mean w", tail: "the mean w of later epochs"},
		kernel: {poly: "polynomial (γ·x·z + c)^d", rbf: "radial exp(−γ‖x − z‖²)"},
	};
	return words[field.name]?.[choiceWord] ?? String(choiceWord);
}

function labelOf(field, many) {
	if (field.name === "ties") return many ? "A tie" : "A score of 0";
	return field.label;
}

// Lowest and highest number of a box; an open limit is said by the server when it is passed.
function limitsOf(field) {
	const low = field.at_least ?? field.above;
	return {
		...(low === undefined ? {} : {min: String(low)}),
		...(field.at_most === undefined ? {} : {max: String(field.at_most)}),
		...(field.kind === "whole" ? {step: "1"} : {}),
	};
}

// One control, of the kind that its setting is.
function settingField(bar, learner, i, field) {
	const many = bar.studio.marks.length > 2;
	const set = (value) => bar.change(i, {[field.name]: value});
	const value = learner[field.name] ?? field.default;
	const named = (control) => {
		control.title = field.help;
		return labelled(labelOf(field, many), control);
	};
	if (field.kind === "flag") {
		const options = ["yes", "no"].map((word) => [word, wordsOf(field, word, many)]);
		return named(choice(options, value ? "yes" : "no", (word) => set(word === "yes")));
	}
	if (field.kind === "choice") {
		const options = field.choices.map((word) => [word, wordsOf(field, word, many)]);
		return named(choice(options, value, set));
	}
	const given = {...limitsOf(field), ...(field.optional ? {placeholder: "as usual"} : {})};
	return named(numberBox(value, set, given, field.optional));
}

function settingFields(bar, learner, i) {
	const {fields, has_weights: hasWeights} = learnerOf(learner.kind);
	const controls = fields.map((field) => settingField(bar, learner, i, field));
	return hasWeights ? [...controls, initialField(bar, learner, i)] : controls;
}

function initialField(bar, learner, i) {
	const {answer} = bar.studio;
	const run = answer?.runs[i];
	const size = run ? run.vectors * (answer.data.features.length + 1) : 3;
	const value = learner.initial ? learner.initial.join(", ") : "";
	const box = el("input", {type: "text", inputmode: "text", value, placeholder: "zeros"});
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

// A learner of another kind, with what it has in common with one that is there.
function likeOf(kind, learner) {
	const common = COMMON.filter((name) => learner[name] !== undefined && fieldOf(kind, name));
	return {kind, ...Object.fromEntries(common.map((name) => [name, learner[name]]))};
}

export class LearnerBar {
	constructor(studio) {
		this.studio = studio;
		this.list = el("div", {class: "learners"});
		this.open = new Set();
		this.add = button("Compare with…", () => this.compare());
		const given = {class: "card bar edit", "aria-label": "Learners"};
		this.node = el("section", given, el("h2", {}, "Learner"), this.list, this.add);
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
		const fields = el("div", {class: "fields"}, settingFields(this, learner, i));
		const toggle = () => (details.open ? this.open.add(i) : this.open.delete(i));
		const given = {open: this.open.has(i), on: {toggle}};
		const details = el("details", given, el("summary", {}, "Settings"), fields);
		const named = {"aria-label": many ? `Learner ${i + 1}` : "Learner"};
		const change = (name) => this.changeKind(i, name);
		const kind = choice(learnerKinds(), learner.kind, change, named);
		const name = {class: "small", title: "Remove", "aria-label": `Remove learner ${i + 1}`};
		const remove = many ? button("×", () => this.remove(i), name) : null;
		return el("div", {class: "learner"}, row(kind, remove), details);
	}

	put(learners) {
		this.studio.change({learners});
	}

	change(i, patch) {
		if (this.learners[i]) this.put(this.learners.with(i, {...this.learners[i], ...patch}));
	}

	changeKind(i, kind) {
		if (this.learners[i]) this.put(this.learners.with(i, likeOf(kind, this.learners[i])));
	}

	compare() {
		const {learners} = this;
		const taken = new Set(learners.map((learner) => learner.kind));
		const kind = learnerKinds().find(([name]) => !taken.has(name))?.[0] ?? "perceptron";
		this.put([...learners, likeOf(kind, learners[0])].slice(0, MOST_LEARNERS));
	}

	remove(i) {
		if (this.learners.length > 1) this.put(this.learners.filter((_, j) => j !== i));
	}
}
