// Beside the plane: what the theory says about the run.
import {figure} from "../engine/numbers.js";
import {drawProof, drawProofPosition, fromZero, proofBounds, proofFrame} from "./charts.js";
import {bold, card, el, setText} from "./dom.js";
import {CanvasPen, penFor} from "./pen.js";

const VERDICTS = {true: ["separable", "good"], false: ["not separable", "bad"]};

export class TheoryCard {
	constructor(studio) {
		this.studio = studio;
		this.badge = el("strong", {class: "badge"});
		this.sentence = el("p", {class: "sentence"});
		this.count = el("p", {class: "count"});
		this.meter = el("div", {class: "meter-fill"});
		this.gauge = el("div", {class: "meter", "aria-hidden": "true"}, this.meter);
		this.canvas = el("canvas", {class: "proof", role: "img"});
		this.chain = el("p", {class: "formula chain"});
		this.numbers = el("p", {class: "quiet"});
		this.parts = [this.count, this.gauge, this.canvas, this.chain, this.numbers, this.sentence];
		const verdict = el("p", {class: "verdict"}, this.badge);
		this.node = card("What the theory says", "theory", verdict, ...this.parts);
		this.still = document.createElement("canvas");
	}

	show(all) {
		const {ledger} = this.studio;
		if (!ledger) {
			for (const node of this.parts) node.hidden = true;
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
			const {separable, conflict} = theory;
			const [verdict, look] = VERDICTS[separable] ?? ["not decided", ""];
			// With a kernel the verdict is on the points as that maps them.
			setText(this.badge, run.vectors ? verdict : `${verdict} with this kernel`);
			this.badge.className = `badge ${look}`;
			const ringed = conflict?.point && !this.studio.answer.data.mapped;
			const words = [theory.sentence, conflict?.sentence];
			if (ringed) words.push(`They are ringed in the plane${meeting}.`);
			setText(this.sentence, words.filter(Boolean).join(" "));
		}
		const mistakesOnly = run.even_steps;
		const bound = run.proof ? run.proof.bound : null;
		const applies = bound && run.proof.applies;
		this.count.hidden = false;
		const word = mistakesOnly ? ["mistake", "mistakes"] : ["update", "updates"];
		const soFar = ` ${k === 1 ? word[0] : word[1]} so far`;
		this.count.replaceChildren(bold(k.toLocaleString("en")), soFar);
		if (applies) {
			const shown = bound < 1000 ? figure(bound) : Math.floor(bound).toLocaleString("en");
			const start = run.proof.since ? " after the tie" : " from this start";
			this.count.append(", never more than ", bold(shown), fromZero(run) ? " = R²/γ²" : start);
		}
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
		const {theme, textSize} = this.studio;
		const width = this.canvas.clientWidth;
		const height = this.canvas.clientHeight;
		if (!width) return;
		const ratio = window.devicePixelRatio || 1;
		const frame = proofFrame(width, height, run, textSize);
		const {answerNumber, shown} = this.studio;
		const key = [answerNumber, shown, width, height, ratio, theme.paper, textSize].join();
		if (all || this.key !== key) {
			this.key = key;
			drawProof(penFor(this.still, width, height), frame, run, theme, textSize);
			[this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
		}
		const context = this.canvas.getContext("2d");
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.clearRect(0, 0, this.canvas.width, this.canvas.height);
		context.drawImage(this.still, 0, 0);
		context.scale(ratio, ratio);
		drawProofPosition(new CanvasPen(context), frame, run, k, theme, textSize);
		const one = `u·w = ${figure(run.proof.u_dot_w[k])}`;
		const other = `‖w‖ = ${figure(run.proof.norm[k])}`;
		const {applies, since} = run.proof;
		const bounds = applies && k >= since ? proofBounds(run, k) : null;
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
