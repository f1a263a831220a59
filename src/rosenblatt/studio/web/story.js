// Beside the plane: what the current update did, and what the theory says about it.
import {drawProof, drawProofPosition, fromZero, proofBounds, proofFrame} from "./charts.js";
import {card, el, setText, tableRow} from "./dom.js";
import {markIcon} from "./look.js";
import {CanvasPen, penFor} from "./pen.js";
import {sayUpdate, tellUpdate} from "./rule.js";
import {counted, figure, vector} from "./words.js";

const MOST_USED = 8;
const NOTHING_STORED =
	"Nothing is stored yet. Every mistake stores its point; " +
	"the score is a sum over the stored points.";

export class Story {
	constructor(studio) {
		this.studio = studio;
		this.title = el("h2", {});
		this.body = el("div", {class: "story-body"});
		this.node = el(
			"section",
			{class: "card story", "aria-label": "This update"},
			this.title,
			this.body,
		);
	}

	show() {
		const {studio} = this;
		const {ledger, marks, answer} = studio;
		if (!ledger) {
			setText(this.title, studio.answerNumber ? "No run yet" : "One moment…");
			const empty = studio.answerNumber
				? "Click the plane to add points, or choose some data."
				: "Python is getting ready.";
			const failed = "Nothing could be learned from this; the sentence at the top says why.";
			this.body.replaceChildren(el("p", {}, studio.problem ? failed : empty));
			return;
		}
		const {run} = ledger;
		const k = ledger.clip(studio.at);
		const told = tellUpdate(ledger, k, marks);
		const many = studio.answer.runs.length > 1 ? ` · ${studio.runTitle(studio.shown)}` : "";
		setText(this.title, (told ? `Update ${k} of ${ledger.length}` : "Start") + many);
		const parts = told ? this.update(told) : this.start(run);
		if (k === ledger.length) parts.push(el("p", {class: "ending"}, run.sentence));
		if (k > 0) parts.push(this.memory(ledger, k, answer.data));
		this.body.replaceChildren(...parts);
	}

	start(run) {
		const {ledger, marks} = this.studio;
		const parts = [];
		if (run.vectors === 1) {
			const w = ledger.weights(0);
			parts.push(
				el(
					"p",
					{},
					"Before the first example the weights are ",
					el("b", {}, `w = ${vector(w.slice(0, -1))}`),
					run.learner.fit_intercept === false
						? "."
						: [" and ", el("b", {}, `b = ${figure(w.at(-1))}`), "."],
				),
			);
			parts.push(
				el("p", {}, `Score above 0 means class ${marks[1].name}, below 0 class ${marks[0].name}.`),
			);
		} else if (run.vectors > 1)
			parts.push(el("p", {}, "Each class has its own weights; the largest score wins."));
		else parts.push(el("p", {}, NOTHING_STORED));
		if (ledger.length)
			parts.push(
				el(
					"p",
					{},
					"Points are shown one at a time. ",
					el("b", {}, "Step"),
					" goes to the first one that changes the weights.",
				),
			);
		return parts;
	}

	update(told) {
		const {marks, look, answer} = this.studio;
		const {update} = told;
		const mark = marks[update.right];
		const point = answer.data.rows[update.row];
		const mapped = answer.data.mapped ? `, mapped to x = ${vector(update.x)}` : "";
		const parts = [
			el(
				"p",
				{class: "used"},
				markIcon(mark, look),
				el(
					"span",
					{},
					el("b", {}, `Point ${update.row + 1}`),
					` ${vector(point)}, class ${mark.name}${mapped}`,
				),
				el("span", {class: "quiet"}, ` epoch ${update.epoch}, example ${update.t}`),
			),
			el("p", {}, el("span", {class: "formula"}, told.score)),
			el("p", {}, told.verdict),
			...told.lines.map((lines) =>
				el(
					"div",
					{class: "formula rule"},
					lines.map((line) => el("p", {class: "shift"}, ...broken(line))),
				),
			),
		];
		if (told.vectors.length) {
			const hasBias = this.studio.ledger.run.learner.fit_intercept !== false;
			const rows = told.vectors.flatMap(({name, w0, w1, b0, b1}) => [
				tableRow([name], [vector(w0), vector(w1)]),
				hasBias ? tableRow([name.replace("w", "b")], [figure(b0), figure(b1)]) : null,
			]);
			parts.push(
				el(
					"table",
					{class: "before-after"},
					el(
						"thead",
						{},
						el(
							"tr",
							{},
							el("td", {}),
							el("th", {scope: "col"}, "before (dashed)"),
							el("th", {scope: "col"}, "after (solid)"),
						),
					),
					el("tbody", {}, rows),
				),
			);
		}
		if (told.note) parts.push(el("p", {class: "quiet"}, told.note));
		return parts;
	}

	// The dual form: w is a sum over the points it was wrong about.
	memory(ledger, k, data) {
		const {uses} = ledger.duals(k);
		const used = [];
		for (let i = 0; i < data.rows.length; i += 1) if (uses[i]) used.push(i);
		used.sort((p, q) => uses[q] - uses[p] || p - q);
		const named = used
			.slice(0, MOST_USED)
			.map((i) => `point ${i + 1} ×${uses[i]}`)
			.join(", ");
		const rest =
			used.length > MOST_USED ? ` and ${counted(used.length - MOST_USED, "more", "more")}` : "";
		const start = ledger.run.vectors ? "w is made of" : "Stored";
		const first = ledger.weights(0)?.some(Boolean) ? "the first weights, " : "";
		return el("p", {class: "quiet"}, `${start}: ${first}${named}${rest}.`);
	}

	sentence() {
		const {ledger, marks, answer, at, shown} = this.studio;
		if (!ledger) return this.studio.problem ?? "";
		const k = ledger.clip(at);
		const words = sayUpdate(ledger, k, ledger.length, marks, answer.data);
		const name = answer.runs.length > 1 ? `${this.studio.runTitle(shown)}. ` : "";
		return name + words + (k === ledger.length ? ` ${ledger.run.sentence}` : "");
	}
}

// A formula breaks before its equals signs, so that it reads on a narrow page as on a wide one.
function broken(line) {
	if (line.length < 36) return [line];
	return line.split(/(?= = )/).map((part) =>
		el(
			"span",
			{class: "term"},
			part
				.split(/(\([^()]{1,24}\))/)
				.map((piece) => (piece.startsWith("(") ? el("span", {class: "whole"}, piece) : piece)),
		),
	);
}

export class Theory {
	constructor(studio) {
		this.studio = studio;
		this.badge = el("strong", {class: "badge"});
		this.sentence = el("p", {});
		this.count = el("p", {class: "count"});
		this.meter = el("div", {class: "meter-fill"});
		this.gauge = el("div", {class: "meter", "aria-hidden": "true"}, this.meter);
		this.canvas = el("canvas", {class: "proof", role: "img"});
		this.chain = el("p", {class: "formula chain"});
		this.numbers = el("p", {class: "quiet"});
		this.node = card(
			"What the theory says",
			"theory",
			el("p", {class: "verdict"}, this.badge),
			this.count,
			this.gauge,
			this.canvas,
			this.chain,
			this.numbers,
			this.sentence,
		);
		this.still = document.createElement("canvas");
	}

	show(all) {
		const {ledger} = this.studio;
		if (!ledger) {
			for (const node of [
				this.sentence,
				this.count,
				this.gauge,
				this.canvas,
				this.chain,
				this.numbers,
			])
				node.hidden = true;
			setText(this.badge, this.studio.problem ? "No run" : "No data yet");
			setText(this.studio.stage.status, "");
			this.badge.className = "badge";
			return;
		}
		const {run} = ledger;
		const {theory} = run;
		const k = ledger.clip(this.studio.at);
		if (all) {
			this.sentence.hidden = false;
			const meeting = run.learner.fit_intercept ? "; × marks where they meet" : "";
			setText(
				this.badge,
				{true: "separable", false: "not separable"}[theory.separable] ?? "not decided",
			);
			this.badge.className = `badge ${{true: "good", false: "bad"}[theory.separable] ?? ""}`;
			setText(
				this.sentence,
				[
					theory.sentence,
					theory.conflict?.sentence,
					theory.conflict?.point && !this.studio.answer.data.mapped
						? `They are ringed in the plane${meeting}.`
						: null,
				]
					.filter(Boolean)
					.join(" "),
			);
		}
		const mistakesOnly = run.even_steps;
		const bound = run.proof ? run.proof.bound : null;
		const applies = bound && run.proof.applies;
		this.count.hidden = false;
		const word = mistakesOnly ? ["mistake", "mistakes"] : ["update", "updates"];
		this.count.replaceChildren(
			el("b", {}, k.toLocaleString("en")),
			` ${k === 1 ? word[0] : word[1]} so far`,
			...(applies
				? [
						", never more than ",
						el("b", {}, bound < 1000 ? figure(bound) : Math.floor(bound).toLocaleString("en")),
						fromZero(run) ? " = R²/γ²" : " from this start",
					]
				: []),
		);
		this.gauge.hidden = !applies;
		const most = applies ? ` of at most ${Math.floor(bound + 1e-9).toLocaleString("en")}` : "";
		const count = `${k.toLocaleString("en")}${most} ${word[1]}`;
		setText(this.studio.stage.status, `${this.badge.textContent} · ${count}`);
		if (applies) this.meter.style.width = `${Math.min(100, (100 * k) / bound)}%`;
		this.drawCurves(run, k, all);
		this.numbers.hidden = !run.vectors;
		const margin = theory.margin ? `, γ = ${figure(theory.margin)}` : "";
		const of = run.learner.fit_intercept ? " (of the points with a 1 appended for the bias)" : "";
		setText(this.numbers, `R = ${figure(theory.radius)}${margin}${of}`);
	}

	drawCurves(run, k, all) {
		const has = Boolean(run.proof);
		this.canvas.hidden = !has;
		this.chain.hidden = !has;
		if (!has) return;
		const {look, textSize} = this.studio;
		const width = this.canvas.clientWidth;
		const height = this.canvas.clientHeight;
		if (!width) return;
		const ratio = window.devicePixelRatio || 1;
		const frame = proofFrame(width, height, run, textSize);
		const key = [
			this.studio.answerNumber,
			this.studio.shown,
			width,
			height,
			ratio,
			look.paper,
			textSize,
		].join();
		if (all || this.key !== key) {
			this.key = key;
			drawProof(penFor(this.still, width, height), frame, run, look, textSize);
			[this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
		}
		const context = this.canvas.getContext("2d");
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.clearRect(0, 0, this.canvas.width, this.canvas.height);
		context.drawImage(this.still, 0, 0);
		context.scale(ratio, ratio);
		drawProofPosition(new CanvasPen(context), frame, run, k, look);
		const one = `u·w = ${figure(run.proof.u_dot_w[k])}`;
		const other = `‖w‖ = ${figure(run.proof.norm[k])}`;
		const bounds = run.proof.applies ? proofBounds(run, k) : null;
		const plain = run.learner.eta0 === 1 && fromZero(run);
		const [low, high] = plain ? ["k·γ", "√k·R"] : ["lower bound", "upper bound"];
		const words = bounds
			? `${low} = ${figure(bounds.low)} ≤ ${one} ≤ ${other} ≤ ${high} = ${figure(bounds.high)}`
			: `${one}, ${other}`;
		this.chain.replaceChildren(
			...words.split(/(?= ≤ )/).map((part) => el("span", {class: "term"}, part)),
		);
		this.canvas.setAttribute("aria-label", `Two curves closing in: after ${k} updates ${words}.`);
	}
}
