// Training: walk the rows in order and act where the rule says so. It is the library's loop.h, with
// the same bits.
import {Epochs} from "./epochs.js";
import {exponential} from "./rules.js";
import {dot, Weights} from "./weights.js";

const EPS = 2 ** -52;
const SAFE_SQUARE = 1e-260;

// Every update in the order they were made, as columns.
export class Entries {
	constructor() {
		Object.assign(this, {row: [], right: [], wrong: [], step: [], t: [], change: []});
	}

	get length() {
		return this.row.length;
	}

	add(row, right, wrong, step, t, change) {
		this.row.push(row);
		this.right.push(right);
		this.wrong.push(wrong);
		this.step.push(step);
		this.t.push(t);
		this.change.push(change);
	}
}

// The best wrong class, the first one among equals.
export function bestRival(scores, right) {
	let best = right === 0 ? 1 : 0;
	for (let c = best + 1; c < scores.length; c++)
		if (c !== right && scores[c] > scores[best]) best = c;
	return best;
}

// By how much the right class is ahead of the best other one.
export function marginOf(scores, right) {
	if (scores.length === 1) return right === 1 ? scores[0] : -scores[0];
	return scores[right] - scores[bestRival(scores, right)];
}

// The class with the best score; ties as the learner has them.
export function bestClass(scores, ties) {
	if (scores.length === 1) return Number(ties === "positive" ? scores[0] >= 0 : scores[0] > 0);
	const top = Math.max(...scores);
	return ties === "positive" ? scores.lastIndexOf(top) : scores.indexOf(top);
}

export class Training extends Epochs {
	// `rows` are {X, y, n, d}; `skipped` is a row that counts for nothing, or -1.
	constructor(rows, vectors, rule, {fitIntercept, initial = null, skipped = -1}) {
		super();
		Object.assign(this, {...rows, vectors, rule, skipped});
		const kept = {fitIntercept, averaged: rule.averages, rates: rule.rates};
		this.weights = new Weights(vectors, rows.d, kept);
		if (initial) this.weights.set(initial);
		if (rule.etaAfter) rule.eta = rule.etaAfter(0);
		this.entries = new Entries();
		this.scores = new Float64Array(vectors);
		[this.mistakes, this.updates, this.stepSum, this.raisedSum, this.loss] = [0, 0, 0, 0, 0];
		this.start = {w: this.weights.w.slice(), b: this.weights.b.slice()};
		this.startsAtZero = this.weights.largest() === 0;
		let squared = 0;
		for (let i = 0; i < this.n; i++)
			squared = Math.max(squared, dot(this.X, i * this.d, this.X, i * this.d, this.d, 0));
		const bias = fitIntercept ? 1 : 0;
		this.longestRow = Math.sqrt(squared + bias + 5e-324 * this.d);
		this.longest = Math.sqrt((squared + bias) * (vectors === 1 ? 1 : 2));
		this.largestNorm = this.norm(null);
	}

	// ------------------------------------------------------------------ one example

	learnRow(row) {
		if (row !== this.skipped) {
			if (this.vectors === 1) this.learnBinary(row);
			else this.learnClasses(row);
		}
		this.weights.t += 1;
	}

	stepFor(margin, norm, mistaken) {
		const {rule, weights} = this;
		if (rule.sureStep) {
			const [step, change] = rule.sureStep(margin, norm);
			return [step, step === 0 ? change : weights.limited(change)];
		}
		const step = rule.step(margin, norm, mistaken);
		return [step, this.changeFor(step)];
	}

	changeFor(step) {
		const gradient = step / this.rule.eta;
		return this.rule.rates === "gradient" ? this.weights.limited(gradient * gradient) : 0;
	}

	refuseOverflow(row, growth) {
		if (this.weights.withinReach(growth)) return;
		throw new Error(
			`The update for point ${row + 1} would leave the range of float64: scale the points.`,
		);
	}

	growth(step, norm) {
		const {rule} = this;
		if (rule.rates === "gradient" && step < 1e150) return step * (rule.eta / step);
		return step * (rule.needsNorm ? Math.sqrt(norm) : this.longestRow);
	}

	learnBinary(row) {
		const {rule, weights, X} = this;
		const label = this.y[row];
		const way = 2 * label - 1;
		const margin = weights.score(X, row, 0) * way;
		if (!(margin <= rule.quietAbove)) return;
		const mistaken = margin < 0 || (margin === 0 && (rule.tieIsMistake || label === 0));
		const norm = rule.needsNorm ? weights.length(X, row, 0) : 0;
		const [step, change] = this.stepFor(margin, norm, mistaken);
		if (step !== 0) {
			this.refuseOverflow(row, this.growth(step, norm));
			if (rule.blamesAll) this.loss += this.logLoss(margin, step / rule.softEta(norm));
			this.updates += 1;
			this.stepSum += step;
			this.entries.add(row, label, 1 - label, step, weights.t + 1, change);
			weights.move(X, row, 0, way * step, change, weights.t);
		}
		if (mistaken) this.mistakes += 1;
	}

	// log(1 + exp(-margin)), by the probability of the wrong class.
	logLoss(margin, wrong) {
		const {logarithm} = this.rule;
		return margin > 0 ? -logarithm(1 - wrong) : -margin - logarithm(wrong);
	}

	learnClasses(row) {
		const {rule, weights, X, scores} = this;
		const right = this.y[row];
		for (let c = 0; c < this.vectors; c++) scores[c] = weights.score(X, row, c);
		let rival = bestRival(scores, right);
		const margin = scores[right] - scores[rival];
		if (!(margin <= rule.quietAbove)) return;
		let [mistaken, alone] = [margin <= 0, false];
		if (margin === 0 && rule.tieIsMistake) alone = rule.raisesAlone;
		else if (margin === 0) {
			let winner = rival;
			for (let c = rival + 1; c < this.vectors; c++)
				if (c !== right && scores[c] === scores[right]) winner = c;
			mistaken = winner > right;
			if (mistaken) rival = winner;
		}
		let norm = 0;
		if (rule.needsNorm) {
			norm = weights.length(X, row, right);
			norm += weights.rates === "variance" ? weights.length(X, row, rival) : norm;
		}
		if (rule.blamesAll) this.blameAll(row, right, norm / 2);
		else this.blameOne(row, right, alone ? -1 : rival, margin, norm, mistaken);
		if (mistaken) this.mistakes += 1;
	}

	// Raise the right class and lower the rival, if there is one.
	blameOne(row, right, rival, margin, norm, mistaken) {
		const {weights, X} = this;
		const [step, change] = this.stepFor(margin, norm, mistaken);
		if (step === 0) return;
		this.refuseOverflow(row, this.growth(step, norm));
		this.updates += 1;
		this.entries.add(row, right, rival, step, weights.t + 1, change);
		if (rival < 0) this.raisedSum += step;
		else {
			this.stepSum += step;
			weights.move(X, row, rival, -step, change, weights.t);
		}
		weights.move(X, row, right, step, change, weights.t);
	}

	// Lower each wrong class by its probability and raise the right one by as much.
	blameAll(row, right, norm) {
		const {rule, weights, X, scores, vectors} = this;
		const eta = rule.softEta(norm);
		let [top, total] = [scores[0], 0];
		for (let c = 1; c < vectors; c++) if (scores[c] > top) top = scores[c];
		for (let c = 0; c < vectors; c++) total += exponential(scores[c] - top);
		const growth = rule.rates ? Math.max(rule.eta * vectors, eta) : eta * this.longestRow;
		this.refuseOverflow(row, growth);
		this.loss += rule.logarithm(total) + top - scores[right];
		for (let c = 0; c < vectors; c++) {
			if (c === right) continue;
			const step = eta * (exponential(scores[c] - top) / total);
			if (step === 0) continue;
			const change = this.changeFor(step);
			this.updates += 1;
			this.stepSum += step;
			this.entries.add(row, right, c, step, weights.t + 1, change);
			weights.move(X, row, c, -step, change, weights.t);
			weights.move(X, row, right, step, change, weights.t);
		}
	}

	// What decides how learning goes on; 0 and -0 are the same.
	key() {
		const {b, w, biasRate, rate} = this.weights;
		return [b, w, ...(rate ? [biasRate, rate] : [])].map((part) => part.join()).join(";");
	}

	allRight() {
		const {weights, X, rule} = this;
		for (let row = 0; row < this.n; row++) {
			if (row === this.skipped) continue;
			const scores = Array.from({length: this.vectors}, (_, c) => weights.score(X, row, c));
			const margin = marginOf(scores, this.y[row]);
			const tied = this.vectors === 1 && !rule.tieIsMistake && margin === 0 && this.y[row] === 1;
			if (!(margin > 0 || tied)) return false;
		}
		return true;
	}

	norm(from) {
		const squared = this.weights.squaredDistance(from);
		if (squared > SAFE_SQUARE) return Math.sqrt(squared);
		const now = [...this.weights.w, ...this.weights.b];
		const then = from ? [...from.w, ...from.b] : [];
		return Math.hypot(...now.map((value, i) => value - (then[i] ?? 0)));
	}

	// No unit vector has a margin above this on the rows, as the run itself proves.
	marginCeiling() {
		if (this.stepSum <= 0 || this.weights.rates) return Infinity;
		this.largestNorm = Math.max(this.largestNorm, this.norm(null));
		const hidden = 2 * this.updates * EPS * this.largestNorm;
		const slack = this.raisedSum * this.longestRow;
		const moved = this.norm(this.startsAtZero ? null : this.start);
		return (moved + slack + hidden) / this.stepSum;
	}
}
