// Above the plane: which data, which learners, in which order.
import {LEARNER_DEFAULTS, LEARNER_FIELDS} from "./address.js";
import {button, choice, el, labelled, numberBox, setText} from "./dom.js";
import {counted} from "./words.js";

export const KINDS = [["perceptron", "Perceptron"], ["averaged", "Averaged"], ["voted", "Voted"], ["mira", "MIRA"],
  ["pa", "Passive-aggressive"], ["soft", "Soft (logistic)"], ["kernel", "Kernel"]];

export class DataBar {
  constructor(studio, openOwn) {
    this.studio = studio;
    this.about = el("p", {class: "quiet"});
    this.select = el("select", {on: {change: () => studio.usePreset(this.select.value)}});
    this.undo = button("Undo", () => studio.undo());
    this.node = el("section", {class: "card bar edit", "aria-label": "Data"},
      el("h2", {}, "Data"),
      labelled("Points", this.select),
      el("div", {class: "row"}, button("Your own data…", openOwn), this.undo, button("Clear", () => studio.clear())),
      this.about);
  }

  show() {
    const {studio} = this;
    const presets = (studio.presets ?? []).map(({id, title}) => [id, title]);
    const own = studio.state.data?.preset ?? "";
    const options = own ? presets : [["", studio.name ?? "Your own points"], ...presets];
    this.select.replaceChildren(...options.map(([value, words]) => el("option", {value, selected: value === own}, words)));
    this.undo.setAttribute("aria-disabled", String(studio.past.length === 0));
    const about = studio.presets?.find(({id}) => id === own)?.about;
    setText(this.about, about ?? `${counted(studio.points.rows.length, "point", "points")}, ${counted(studio.marks.length, "class", "classes")}.`);
  }
}

// The settings of one learner; which of them there are depends on its kind.
function settingFields(studio, learner, i) {
  const set = (field) => (value) => studio.changeLearner(i, {[field]: value});
  const named = new Set(LEARNER_FIELDS[learner.kind]);
  const value = (field) => learner[field] ?? LEARNER_DEFAULTS[field];
  const make = {
    eta0: () => labelled("Learning rate η", numberBox(value("eta0"), set("eta0"), {min: "0"})),
    margin: () => labelled(learner.kind === "mira" ? "Also when right by less than" : "Margin", numberBox(value("margin"), set("margin"), {min: "0"})),
    variant: () => labelled("Variant", choice([["PA", "PA"], ["PA-I", "PA-I"], ["PA-II", "PA-II"]], value("variant"), set("variant"))),
    C: () => labelled("Aggressiveness C", numberBox(value("C"), set("C"), {min: "0"})),
    kernel: () => labelled("Kernel", choice([["poly", "polynomial (γ·x·z + c)^d"], ["rbf", "radial exp(−γ‖x − z‖²)"]], value("kernel"), set("kernel"))),
    degree: () => (value("kernel") === "poly" ? labelled("Degree d", numberBox(value("degree"), set("degree"), {min: "1", step: "1"})) : null),
    gamma: () => labelled("γ", numberBox(value("gamma"), set("gamma"), {min: "0"})),
    coef0: () => (value("kernel") === "poly" ? labelled("Constant c", numberBox(value("coef0"), set("coef0"))) : null),
    ties: () => labelled(studio.marks.length > 2 ? "A tie" : "A score of 0", choice([["mistake", "is a mistake"], ["positive", studio.marks.length > 2 ? "counts as the last class of the tie" : "counts as the second class"]], value("ties"), set("ties"))),
    bias: () => labelled("Bias b", choice([["yes", "learned"], ["no", "none: through the origin"]], value("bias") ? "yes" : "no", (word) => set("bias")(word === "yes"))),
    initial: () => initialField(studio, learner, i),
  };
  return Object.keys(make).filter((field) => named.has(field)).map((field) => make[field]());
}

function initialField(studio, learner, i) {
  const run = studio.answer?.runs[i];
  const size = run ? run.vectors * (studio.answer.data.features.length + 1) : 3;
  const box = el("input", {type: "text", inputmode: "text", value: learner.initial ? learner.initial.join(", ") : "", placeholder: "zeros"});
  box.addEventListener("change", () => {
    const numbers = box.value.split(/[\s,;]+/).filter(Boolean).map((word) => Number(word.replace("−", "-")));
    if (numbers.some((number) => !Number.isFinite(number))) studio.tell("The first weights are numbers with commas between them, as in 3, 4, 0.");
    else studio.changeLearner(i, {initial: numbers.length ? numbers : null});
  });
  return labelled(`First weights (${size} numbers, ${run && run.vectors > 1 ? "each class: its weights, then b" : "b last"})`, box);
}

export class LearnerBar {
  constructor(studio) {
    this.studio = studio;
    this.list = el("div", {class: "learners"});
    this.open = new Set();
    this.add = button("Compare with…", () => studio.addLearner());
    this.node = el("section", {class: "card bar edit", "aria-label": "Learners"}, el("h2", {}, "Learner"), this.list, this.add);
  }

  show() {
    const {studio} = this;
    const learners = studio.state.learners ?? [];
    this.add.hidden = learners.length >= 4;
    const focused = document.activeElement;
    const at = this.list.contains(focused) ? Array.from(this.list.querySelectorAll("select, input, button, summary")).indexOf(focused) : -1;
    this.list.replaceChildren(...learners.map((learner, i) => {
      const details = el("details", {open: this.open.has(i)}, el("summary", {}, "Settings"), el("div", {class: "fields"}, settingFields(studio, learner, i)));
      details.addEventListener("toggle", () => (details.open ? this.open.add(i) : this.open.delete(i)));
      return el("div", {class: "learner"},
        el("div", {class: "row"},
          choice(KINDS, learner.kind, (kind) => studio.changeKind(i, kind), {"aria-label": learners.length > 1 ? `Learner ${i + 1}` : "Learner"}),
          learners.length > 1 ? button("×", () => studio.removeLearner(i), {class: "small", title: "Remove", "aria-label": `Remove learner ${i + 1}`}) : null),
        details);
    }));
    if (at >= 0) this.list.querySelectorAll("select, input, button, summary")[at]?.focus();
  }
}

export class OrderBar {
  constructor(studio) {
    this.studio = studio;
    this.map = choice([["none", "none: x, y"], ["product", "product: x, y, x·y"], ["quadratic", "quadratic: x, y, x², x·y, y²"]], "none", (map) => studio.change({map}));
    this.order = choice([["given", "as it is"], ["shuffled", "shuffled every epoch"]], "given", (order) => studio.change({order}));
    this.seed = numberBox(0, (seed) => studio.change({seed: Math.max(0, Math.round(seed))}), {min: "0", step: "1"});
    this.again = button("Another order", () => studio.change({seed: (studio.state.seed ?? 0) + 1, order: "shuffled"}), {class: "small"});
    this.epochs = numberBox(100, (epochs) => studio.change({epochs: Math.max(1, Math.round(epochs))}), {min: "1", step: "1"});
    this.seedField = el("div", {class: "row"}, labelled("Seed", this.seed, "field inline"), this.again);
    this.node = el("section", {class: "card bar edit", "aria-label": "Features and order"}, el("h2", {}, "Features and order"),
      labelled("Feature map", this.map), labelled("Order of the points", this.order), this.seedField,
      el("details", {}, el("summary", {}, "More"), labelled("Epochs at most", this.epochs)));
  }

  show() {
    const {state} = this.studio;
    this.map.value = state.map ?? "none";
    this.order.value = state.order ?? "given";
    this.seed.value = String(state.seed ?? 0);
    this.epochs.value = String(state.epochs ?? 100);
    this.seedField.hidden = this.order.value !== "shuffled";
  }
}
