// Training with a kernel: the plain algorithm, row by row. All rows carry their scores; a mistake
// is added to each of them.
import {Epochs} from "./epochs.js";
import {bestRival, Entries} from "./learning.js";

const EPS = 2 ** -52;
// Sums of such numbers are exact: whole after this many halvings, and not too large.
const [SHORT, LARGE] = [2 ** 20, 2 ** 31];

export class KernelTraining extends Epochs {
	// `rows` are {X, y, n, d}; `kernel` is a function of two rows, `kernelError` what rounding can
	// have added to it.
	constructor(rows, vectors, rule, kernel, kernelError) {
		super();
		Object.assign(this, {...rows, vectors, rule, kernel, kernelError});
		this.scores = new Float64Array(this.n * vectors);
		// How large the numbers are that a score was summed from: rounding is of that size.
		this.sizes = new Float64Array(this.n * vectors);
		// How far the kernels in it can be off, all together.
		this.errors = new Float64Array(this.n * vectors);
		[this.isExact, this.isClose] = [true, false];
		this.entries = new Entries();
		this.ends = [];
		[this.mistakes, this.updates, this.t] = [0, 0, 0];
		this.norms = new Float64Array(vectors);
		this.magnitudes = new Float64Array(vectors);
		[this.steps, this.alone, this.longestRow] = [0, 0, 0];
	}

	learnRow(row) {
		const right = this.y[row];
		const found = this.vectors === 1 ? this.binary(row, right) : this.rivals(row, right);
		this.t += 1;
		if (!found) return;
		this.entries.add(row, right, found.wrong, 1, this.t, 0);
		this.mistakes += 1;
		this.updates += 1;
		if (found.wrong < 0) this.alone += 1;
		else this.steps += 1;
		this.longestRow = Math.max(this.longestRow, Math.sqrt(Math.max(0, this.kernelOf(row, row))));
		for (const [vector, step] of found.moves) this.move(row, vector, step);
	}

	kernelOf(i, j) {
		const value = this.kernel(this.X, i, this.X, j);
		if (!Number.isFinite(value))
			throw new Error(
				`The kernel of point ${i + 1} with the others is too large: scale the points, or lower ` +
					"γ or the degree.",
			);
		if (Math.abs(value) > LARGE || !Number.isInteger(value * SHORT)) this.isExact = false;
		return value;
	}

	// Whether a margin may be no more than rounding, so that another engine may decide otherwise:
	// its own kernels are as far from the true ones, on the other side maybe.
	note(margin, size, error) {
		const doubt = 2 * error + (this.isExact ? 0 : 1e-11 * size);
		if (doubt > 0 && Math.abs(margin) <= doubt) this.isClose = true;
	}

	binary(row, right) {
		const sign = 2 * right - 1;
		const margin = sign * this.scores[row];
		this.note(margin, this.sizes[row], this.errors[row]);
		const mistaken = margin < 0 || (margin === 0 && (this.rule.tieIsMistake || sign < 0));
		return mistaken && {wrong: 1 - right, moves: [[0, sign]]};
	}

	rivals(row, right) {
		const {vectors, rule} = this;
		const scores = this.scores.subarray(row * vectors, (row + 1) * vectors);
		let rival = bestRival(scores, right);
		const margin = scores[right] - scores[rival];
		const sizes = this.sizes.subarray(row * vectors, (row + 1) * vectors);
		const errors = this.errors.subarray(row * vectors, (row + 1) * vectors);
		for (let c = 0; c < vectors; c++) {
			if (c === rival) continue;
			const size = Math.max(sizes[c], sizes[rival]);
			this.note(scores[c] - scores[rival], size, errors[c] + errors[rival]);
		}
		if (margin > 0) return null;
		if (margin === 0 && rule.tieIsMistake) return {wrong: -1, moves: [[right, 1]]};
		if (margin === 0) {
			for (let c = rival + 1; c < vectors; c++)
				if (c !== right && scores[c] === scores[right]) rival = c;
			if (rival < right) return null;
		}
		return {
			wrong: rival,
			moves: [
				[right, 1],
				[rival, -1],
			],
		};
	}

	move(row, vector, step) {
		const {vectors, scores, sizes, errors, n} = this;
		const own = this.kernelOf(row, row);
		const change = 2 * step * scores[row * vectors + vector];
		this.norms[vector] += change + own;
		this.magnitudes[vector] += Math.abs(change) + Math.abs(own);
		for (let j = 0; j < n; j++) {
			const value = this.kernelOf(row, j);
			scores[j * vectors + vector] += step * value;
			sizes[j * vectors + vector] += Math.abs(value);
			errors[j * vectors + vector] += this.kernelError(row, j, value);
		}
	}

	// A single epoch is compared with nothing, as in the library.
	run(given) {
		this.isOnce = given.epochs === 1;
		return super.run(given);
	}

	// The scores of the rows: other coefficients may be the same function.
	key() {
		if (this.isOnce) return this.t;
		this.noteReturn();
		return this.scores.map((score) => score + 0).join();
	}

	// Whether the run may be back where an epoch ended before: rounding then decides if it is.
	noteReturn() {
		const {scores, sizes, errors} = this;
		const doubt = (i) => 2 * errors[i] + (this.isExact ? 0 : 1e-11 * sizes[i]);
		const isNear = (before) => scores.every((score, i) => Math.abs(score - before[i]) <= doubt(i));
		const isBack = (before) => scores.every((score, i) => score === before[i]);
		// Steps that take each other back to the last bit nearly always do so in every order of the
		// sums, as those of two equal points do.
		if (this.ends.some(isNear) && !this.ends.some(isBack)) this.isClose = true;
		this.ends.push(scores.slice());
	}

	// No epoch without a mistake changes anything, so that all were right by the scores as they are.
	allRight() {
		return true;
	}

	get longest() {
		return this.longestRow * (this.vectors > 1 ? Math.SQRT2 : 1);
	}

	// No function of norm 1 has a margin above this on the rows, as the run itself proves.
	marginCeiling() {
		const hidden = this.magnitudes.map((size) => 16 * EPS * size);
		if (!this.steps || this.norms.some((norm, c) => norm < -hidden[c])) return Infinity;
		const squared = this.norms.reduce((sum, norm, c) => sum + Math.max(norm, 0) + hidden[c], 0);
		return (Math.sqrt(squared) + this.alone * this.longestRow) / this.steps;
	}
}
