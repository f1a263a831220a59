// Beside the plane: what the current update did, and what the theory says about it.
import {counted, figure, vector} from "../engine/numbers.js";
import {describeUpdate, updateSentence} from "../engine/step_formulas.js";
import {bold, el, headRow, paragraph, setText, tableRow} from "./dom.js";
import {markIcon} from "./marks.js";

const MOST_USED = 8;
const NOTHING_STORED =
	"Nothing is stored yet. Every mistake stores its point; " +
	"the score is a sum over the stored points.";

export class UpdateCard {
	constructor(studio) {
		this.studio = studio;
		this.title = el("h2", {});
		this.body = el("div", {class: "update-body"});
		const given = {class: "card update-card", "aria-label": "This update"};
		this.node = el("section", given, this.title, this.body);
	}

	show() {
		const {studio} = this;
		const {ledger, marks, answer} = studio;
		if (!ledger) {
			setText(this.title, studio.answerNumber ? "No run yet" : "One moment…");
			const empty = studio.answerNumber
				? "Click the plane to add points, or choose some data."
				: "The page is getting ready.";
			const failed = "Nothing could be learned from this; the sentence at the top says why.";
			this.body.replaceChildren(paragraph(studio.problem ? failed : empty));
			return;
		}
		const {run} = ledger;
		const k = ledger.clip(studio.at);
		const facts = describeUpdate(ledger, k, marks);
		const many = studio.answer.runs.length > 1 ? ` · ${studio.runTitle(studio.shown)}` : "";
		const {visit, visits, place, reach} = studio.position;
		const at = visits ? `Example ${place} of ${reach}` : `Update ${k} of ${ledger.length}`;
		setText(this.title, (place ? at : "Start") + many);
		const moved = facts && (!visit || visit.after > visit.before);
		const parts = moved ? this.update(facts) : visit ? this.unmoved(visit) : this.start(run);
		if (visit && moved) parts.splice(1, 0, this.answer(visit));
		if (place === reach) parts.push(el("p", {class: "ending"}, run.sentence));
		if (k > 0) parts.push(this.memory(ledger, k, answer.data));
		this.body.replaceChildren(...parts);
	}

	start(run) {
		const {ledger, marks} = this.studio;
		const parts = [];
		if (run.vectors === 1) {
			const w = ledger.weights(0);
			const bias = ledger.hasBias ? [" and ", bold(`b = ${figure(w.at(-1))}`)] : [];
			const known = bold(`w = ${vector(w.slice(0, -1))}`);
			parts.push(
				paragraph("Before the first example the weights are ", known, ...bias, "."),
				paragraph(`Score above 0 means class ${marks[1].name}, below 0 class ${marks[0].name}.`),
			);
		} else if (run.vectors > 1)
			parts.push(paragraph("Each class has its own weights; the largest score wins."));
		else parts.push(paragraph(NOTHING_STORED));
		const {visits} = this.studio.position;
		const next = ` goes to the first one${visits ? "" : " that changes the weights"}.`;
		if (ledger.length)
			parts.push(paragraph("Points are shown one at a time. ", bold("Step"), next));
		return parts;
	}

	// What was predicted of an example, and whether it was right.
	answer({said, right}) {
		const {marks} = this.studio;
		const predicted = said === null ? "none, a tie" : marks[said].name;
		const mistake = said === right ? "no mistake" : "a mistake";
		return paragraph("ŷ = ", bold(predicted), ", y = ", bold(marks[right].name), `: ${mistake}.`);
	}

	// An example that changed nothing.
	unmoved(visit) {
		const {marks, theme, answer, ledger} = this.studio;
		const mark = marks[visit.right];
		const used = `Point ${visit.row + 1}`;
		const where = ` ${vector(answer.data.rows[visit.row])}, class ${mark.name}`;
		const when = el("span", {class: "quiet"}, ` epoch ${visit.epoch}, example ${visit.t}`);
		const single = visit.scores.length === 1;
		const scores = visit.scores.map((s, c) => `${marks[c].letter}: ${figure(s)}`).join(", ");
		const w = ledger.weights(visit.after);
		const bias = ledger.hasBias ? `, b = ${figure(w.at(-1))}` : "";
		const stays = single ? `w stays ${vector(w.slice(0, -1))}${bias}.` : "The weights stay.";
		return [
			el("p", {class: "used"}, markIcon(mark, theme), el("span", {}, bold(used), where), when),
			this.answer(visit),
			paragraph(single ? `s = ${figure(visit.scores[0])}` : scores),
			paragraph(stays),
		];
	}

	update(facts) {
		const {marks, theme, answer} = this.studio;
		const {update} = facts;
		const mark = marks[update.right];
		const point = answer.data.rows[update.row];
		const mapped = answer.data.mapped ? `, mapped to x = ${vector(update.x)}` : "";
		const number = bold(`Point ${update.row + 1}`);
		const used = el("span", {}, number, ` ${vector(point)}, class ${mark.name}${mapped}`);
		const when = el("span", {class: "quiet"}, ` epoch ${update.epoch}, example ${update.t}`);
		const shift = (line) => el("p", {class: "shift"}, ...broken(line));
		const parts = [
			el("p", {class: "used"}, markIcon(mark, theme), used, when),
			paragraph(el("span", {class: "formula"}, facts.score)),
			paragraph(facts.verdict),
			...facts.lines.map((lines) => el("div", {class: "formula rule"}, lines.map(shift))),
		];
		if (facts.vectors.length) {
			const {hasBias} = this.studio.ledger;
			const rows = facts.vectors.flatMap(({name, w0, w1, b0, b1}) => [
				tableRow([name], [vector(w0), vector(w1)]),
				hasBias ? tableRow([name.replace("w", "b")], [figure(b0), figure(b1)]) : null,
			]);
			const head = headRow(["before (dashed)", "after (solid)"]);
			head.prepend(el("td", {}));
			const body = [el("thead", {}, head), el("tbody", {}, rows)];
			parts.push(el("table", {class: "before-after"}, body));
		}
		if (facts.note) parts.push(el("p", {class: "quiet"}, facts.note));
		return parts;
	}

	// The dual form: w is a sum over the points it was wrong about.
	memory(ledger, k, data) {
		const {uses} = ledger.duals(k);
		const used = [];
		for (let i = 0; i < data.rows.length; i += 1) if (uses[i]) used.push(i);
		used.sort((p, q) => uses[q] - uses[p] || p - q);
		const first = used.slice(0, MOST_USED);
		const named = first.map((i) => `point ${i + 1} ×${uses[i]}`).join(", ");
		const more = used.length - MOST_USED;
		const rest = more > 0 ? ` and ${counted(more, "more", "more")}` : "";
		const start = ledger.run.vectors ? "w is made of" : "Stored";
		const weights = ledger.weights(0)?.some(Boolean) ? "the first weights, " : "";
		return el("p", {class: "quiet"}, `${start}: ${weights}${named}${rest}.`);
	}

	sentence() {
		const {ledger, marks, answer, at, shown} = this.studio;
		if (!ledger) return this.studio.problem ?? "";
		const k = ledger.clip(at);
		const {visit, place, reach} = this.studio.position;
		const {said, right, before, after, row, t} = visit ?? {};
		const words =
			visit && after === before
				? `Example ${t} of ${reach}: point ${row + 1}. ` +
					`${said === right ? "Right" : "A tie"}: nothing changes.`
				: updateSentence(ledger, k, ledger.length, marks, answer.data);
		const name = answer.runs.length > 1 ? `${this.studio.runTitle(shown)}. ` : "";
		return name + words + (place === reach ? ` ${ledger.run.sentence}` : "");
	}
}

// A formula breaks before its equals signs, so that it reads on a narrow page as on a wide one.
function broken(line) {
	if (line.length < 36) return [line];
	const whole = (piece) => (piece.startsWith("(") ? el("span", {class: "whole"}, piece) : piece);
	const pieces = (part) => part.split(/(\([^()]{1,24}\))/).map(whole);
	return line.split(/(?= = )/).map((part) => el("span", {class: "term"}, pieces(part)));
}
