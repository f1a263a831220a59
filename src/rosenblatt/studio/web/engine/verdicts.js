// What theory says of the examples: separable or not, with proof, and the bound on mistakes.
import {quotient} from "./exact.js";
import {Training} from "./learning.js";
import {nearest, PairHull, SignedHull} from "./nearest.js";
import {general, grouped} from "./numbers.js";
import {ruleOf} from "./rules.js";

// Numbers of all weight vectors together up to which the best of them are looked for.
const MOST_WEIGHTS = 100;
const MOST_SCORES = 20_000_000;
const LARGEST_RATIO = 1e100;
const EPS = 2 ** -52;
const SHOWN = 6;
const UNMEASURED = "Their margin, and so the bound on mistakes, was not measured.";

// (length / γ)² from above; of mistakes there is a whole number.
function mostMistakes(length, margin, size) {
	const ratio = (length / margin) * (1 + 4 * (size + 16) * EPS);
	const found = ratio * ratio * (1 + 16 * EPS);
	const near = Math.round(found);
	return Number.isFinite(found) && Math.abs(found - near) < 1e-6 ? near : found;
}

function countedBound(bound) {
	const most = bound < 1000 ? general(bound, 4) : BigInt(Math.floor(bound)).toLocaleString("en");
	return `${most} mistake${most === "1" ? "" : "s"}`;
}

export class Verdict {
	constructor(rows, fitIntercept) {
		const several = rows.vectors > 1;
		Object.assign(this, {rows, fitIntercept, several, width: rows.d + (fitIntercept ? 1 : 0)});
		this.Z = this.theoremRows();
		let longest = 0;
		for (let i = 0; i < this.Z.length; i += this.width) {
			let squared = 0;
			for (let j = i; j < i + this.width; j++) squared += this.Z[j] * this.Z[j];
			longest = Math.max(longest, squared);
		}
		this.radius = Math.sqrt(longest) * (several ? Math.SQRT2 : 1);
		this.separable = null;
		[this.margin, this.u, this.conflict, this.detail] = [null, null, null, "rounding hides it"];
		if (!several || rows.classes.length * this.width <= MOST_WEIGHTS) this.decide();
		else this.tryPerceptron();
		if (this.margin !== null && !(this.radius / this.margin < LARGEST_RATIO))
			this.margin = this.u = null;
	}

	// The rows in the space where the theorem lives; one class alone has its first row turned over in
	// the place of another.
	theoremRows() {
		const {rows, width} = this;
		this.labels = rows.oneClass ? [...rows.y, 0] : [...rows.y];
		const Z = new Float64Array(this.labels.length * width).fill(1);
		for (let i = 0; i < rows.n; i++)
			for (let j = 0; j < rows.d; j++) Z[i * width + j] = rows.X[i * rows.d + j];
		if (rows.oneClass) for (let j = 0; j < width; j++) Z[rows.n * width + j] = -Z[j];
		return Z;
	}

	hull(Z) {
		const {labels, width, rows} = this;
		if (this.several) return new PairHull(Z, labels, rows.classes.length, width);
		const signs = labels.map((label) => 2 * label - 1);
		return new SignedHull(Z, signs, width);
	}

	decide() {
		const {Z, width} = this;
		const by = new Float64Array(width);
		Z.forEach((value, i) => {
			by[i % width] = Math.max(by[i % width], Math.abs(value));
		});
		const even = Z.map((value, i) => value / (by[i % width] || 1));
		const scaled = {hull: this.hull(even), by: by.map((size) => size || 1)};
		const found = nearest(this.hull(Z), scaled);
		if (!found) return;
		this.separable = !found.conflict;
		if (found.conflict)
			this.conflict = this.several ? this.rivalConflict(found) : this.binaryConflict(found);
		else if (found.margin > 0)
			[this.margin, this.u] = [found.margin, this.withBias(found.direction)];
	}

	// A row for each vector, the bias last: 0 where there is none.
	withBias(u) {
		if (this.fitIntercept) return u;
		const out = [];
		for (let i = 0; i < u.length; i += this.width) out.push(...u.slice(i, i + this.width), 0);
		return Float64Array.from(out);
	}

	// Many classes: the verdict of a perceptron, if it comes to one.
	tryPerceptron() {
		const {rows, Z, width, labels} = this;
		const k = rows.classes.length;
		const epochs = Math.max(10, Math.floor(MOST_SCORES / (rows.n * k)));
		const rule = ruleOf({kind: "perceptron", eta0: 1, ties: "positive"});
		this.detail =
			`with ${k} classes it is not proven, and ${grouped(epochs)} epochs did ` +
			`not separate them`;
		const table = {X: Z, y: Int32Array.from(labels), n: labels.length, d: width};
		const training = new Training(table, k, rule, {fitIntercept: false});
		if (training.run({epochs, shuffle: true, seed: 0}).reason !== "separated") return;
		const hull = new PairHull(Z, labels, k, width);
		if (hull.lowest(training.weights.w)[1] > 0) this.separable = true;
	}

	get bound() {
		return this.u && mostMistakes(this.radius, this.margin, this.u.length);
	}

	// ------------------------------------------------------------------ in words

	get sentence() {
		const {rows, several} = this;
		const by = several
			? `by the largest of ${rows.classes.length} scores`
			: rows.d === 2
				? "by a line"
				: "by a plane";
		const where = rows.d === 2 ? "" : ` in the space of ${rows.names.join(", ")}`;
		const bias = this.fitIntercept ? "" : several ? ", without a bias" : " through the origin";
		const how = by + where + bias;
		if (this.separable === null)
			return `It could not be decided whether the classes are separable ${how}: ${this.detail}.`;
		if (!this.separable) return `The classes are not separable ${how}.`;
		if (rows.oneClass) {
			const side = how.replace(/^by /, "");
			return `There is only one class, ${rows.classes[1]}: its points lie on one side of ${side}.`;
		}
		return `The classes are separable ${how}.`;
	}

	// The verdict, and what follows from it for one run, whose proof is given.
	of(run, proof) {
		return {
			separable: this.separable,
			sentence: `${this.sentence} ${this.consequence(run, proof)}`.trim(),
			radius: this.radius,
			margin: this.margin,
			bound: this.bound,
			separator: this.u && Array.from(this.u),
			conflict: this.conflict,
		};
	}

	consequence(run, proof) {
		if (this.separable === null) return "";
		if (!this.separable) return "So a perceptron never stops making mistakes.";
		if (!proof || this.bound === null) return UNMEASURED;
		const bound = `The bound R²/γ² = ${countedBound(this.bound)} is for`;
		if (!run.rule.evenSteps) return `${bound} the plain perceptron; this learner has another rule.`;
		if (!proof.applies)
			return (
				`${bound} a perceptron that lets one class win a tie; this one takes a tie ` +
				`for a mistake and raises the right class alone, which the proof does not cover.`
			);
		if (proof.since)
			return (
				`${bound} a perceptron that lets one class win a tie. This one raised the right ` +
				`class alone at its last tie, update ${grouped(proof.since)}; from there both ` +
				`inequalities hold, and it makes no more than ${countedBound(proof.bound)} in all.`
			);
		if (!startOf(run).some(Boolean))
			return (
				`So a perceptron that starts at 0 makes no more than R²/γ² = ` +
				`${countedBound(this.bound)}, in any order.`
			);
		if (proof.bound === null) return `${bound} a start at 0.`;
		return (
			`${bound} a start at 0; from these first weights it is ` +
			`${countedBound(proof.bound)}, where the two curves meet.`
		);
	}

	// Both sides of the proof along a run: how far it went along u, and how long it became.
	proof(run) {
		if (!this.u) return null;
		const {u} = this;
		// A class raised alone breaks the inequalities; from the last such update on they hold, if
		// nothing comes after the run.
		const since =
			run.rows.vectors > 1 ? run.columns.wrong.findLastIndex((wrong) => wrong < 0) + 1 : 0;
		const ended = run.reason === "separated" && run.length === run.made;
		const applies = run.rule.evenSteps && (!since || ended);
		const [along, norm] = [[], []];
		for (let k = 0; k <= run.length; k++) {
			const w = run.weights.subarray(k * u.length, (k + 1) * u.length);
			along.push(w.reduce((sum, value, i) => sum + value * u[i], 0));
			norm.push(Math.sqrt(w.reduce((sum, value) => sum + value * value, 0)));
		}
		const {radius, margin} = this;
		const bound = applies ? this.boundOf(run, since, along, norm) : this.bound;
		return {u_dot_w: along, norm, applies, since: applies ? since : 0, radius, margin, bound};
	}

	// The most mistakes of a run from weights that may be other than 0: where both sides meet.
	boundOf(run, since, along, norm) {
		if (!since && !startOf(run).some(Boolean)) return this.bound;
		if (!run.length) return null;
		const unit = run.columns.step[0] * this.margin;
		const [a, n, r] = [along[since] / unit, norm[since] / unit, this.radius / this.margin];
		const half = (r * r) / 2 - a;
		return since + half + Math.sqrt(half * half + Math.max(n * n - a * a, 0));
	}

	// ------------------------------------------------------------------ conflicts

	// Weighted points of both classes that meet; without a bias, that add up to nothing.
	binaryConflict({conflict, total}) {
		const {rows, fitIntercept} = this;
		const parts = conflict.sort(([a], [b]) => a - b);
		const of = parts.map(([key]) => (key < rows.n ? key : 0));
		const shares = parts.map(([, share]) => share);
		const numbers = of.map((row) => rows.numbers[row]);
		const facts = {rows: numbers, weights: shares.map((share) => quotient(share, total))};
		if (!fitIntercept) {
			const said = `Turned to one side of the origin, ${listed(shares, total, numbers)}`;
			const so = "add up to nothing, so no line through the origin separates the classes.";
			const sentence = `${said} ${so}`;
			return {...facts, point: [0, 0], sentence};
		}
		const sides = [0, 1].map((label) => {
			const chosen = of.map((_, i) => i).filter((i) => rows.y[of[i]] === label);
			const some = chosen.map((i) => shares[i]);
			return {shares: some, total: some.reduce((a, b) => a + b, 0n), of: chosen.map((i) => of[i])};
		});
		const meeting = Array.from({length: rows.d}, (_, j) =>
			sides[1].shares.reduce(
				(sum, share, i) =>
					sum + quotient(share, sides[1].total) * rows.X[sides[1].of[i] * rows.d + j],
				0,
			),
		);
		const at = meeting.map((value) => general(value, 4).replace("-", "−")).join(", ");
		const [a, b] = sides.map((side) =>
			listed(
				side.shares,
				side.total,
				side.of.map((row) => rows.numbers[row]),
			),
		);
		const sentence = capital(
			`${a} (class ${rows.classes[0]}) and ${b} (class ${rows.classes[1]}) make the same ` +
				`point (${at}), which cannot lie on both sides.`,
		);
		return {...facts, point: meeting.slice(0, 2), sentence};
	}

	// Weighted points, each against a class that is not its own.
	rivalConflict({conflict, total}) {
		const k = this.rows.classes.length;
		const parts = conflict.sort(([a], [b]) => a - b);
		const of = parts.map(([key]) => this.rows.numbers[Math.floor(key / k)]);
		const shares = parts.map(([, share]) => share);
		const bias = this.fitIntercept ? "" : "without a bias ";
		return {
			rows: of,
			weights: shares.map((share) => quotient(share, total)),
			wrong: parts.map(([key]) => key % k),
			point: null,
			sentence: capital(
				`${listed(shares, total, of)}, each against another class, add up to nothing: no ` +
					`scores ${bias}can be right for all of them.`,
			),
		};
	}
}

function startOf(run) {
	return run.weights.subarray(0, run.rows.vectors * (run.rows.d + 1));
}

// A fraction where its denominator is small; the numbers are too long to look for a common divisor.
function share(n, total) {
	for (let bottom = 1n; bottom <= 100n; bottom++) {
		if ((n * bottom) % total !== 0n) continue;
		const top = (n * bottom) / total;
		return bottom > 1n ? `${top}/${bottom} of ` : top > 1n ? `${top} of ` : "";
	}
	return `${general(quotient(n, total), 3)} of `;
}

// 1/2 of point 1 and 1/2 of point 4, cut after a few.
function listed(shares, total, rows) {
	const terms = shares.map((n, i) => `${share(n, total)}point ${rows[i] + 1}`);
	if (terms.length > SHOWN) terms.splice(SHOWN - 1, Infinity, `${terms.length - SHOWN + 1} more`);
	return terms.length === 1 ? terms[0] : `${terms.slice(0, -1).join(", ")} and ${terms.at(-1)}`;
}

function capital(text) {
	return text[0].toUpperCase() + text.slice(1);
}
