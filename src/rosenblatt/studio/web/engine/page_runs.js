// A run as the page shows it: every update with its weights, as far as it can be followed.
import {bestClass, Training} from "./learning.js";
import {counted, grouped} from "./numbers.js";
import {ruleOf} from "./rules.js";
import {VoteField} from "./vote_field.js";
import {dot, Weights} from "./weights.js";

// So many updates are followed one by one, and so many weights and scores are kept of them.
const MOST_UPDATES = 10_000;
const MOST_NUMBERS = 250_000;
// Settings that all learners have; a title tells of the others that are not as usual.
const SHARED = ["ties", "fit_intercept"];

// How many updates can be followed with all their weights.
export function mostUpdates(rows, averaged = false) {
	const weights = (rows.d + 1) * (averaged ? 2 : 1);
	return Math.min(MOST_UPDATES, Math.floor(MOST_NUMBERS / (rows.vectors * (weights + 1))));
}

export function titleOf(learner, {title, fields}) {
	const own = fields.filter(
		({name, default: usual}) => !SHARED.includes(name) && learner[name] !== usual,
	);
	const words = own.map(({name}) => `${name} ${learner[name] ?? "None"}`);
	return words.length ? `${title} (${words.join(", ")})` : title;
}

export class PageRun {
	// `rows` are mapped rows; `offered` is what the page knows of the learner, `texts` why runs stop.
	constructor(learner, rows, state, offered, texts) {
		Object.assign(this, {learner, rows, offered, texts});
		this.placeholder = rows.oneClass;
		const shuffle = state.order === "shuffled" && !rows.oneClass;
		this.begin();
		const epochs = this.epochs(state.epochs);
		this.cut = state.epochs > epochs;
		this.ended = this.training.run({epochs, shuffle, seed: state.seed});
		this.shuffledBy = shuffle ? state.seed : null;
		this.follow();
	}

	begin() {
		const {learner, rows, placeholder} = this;
		this.rule = ruleOf(learner);
		this.training = new Training(
			placeholder ? rows.withPlaceholder() : rows,
			rows.vectors,
			this.rule,
			{
				fitIntercept: learner.fit_intercept,
				initial: learner.initial,
				skipped: placeholder ? rows.n : -1,
			},
		);
	}

	// Fewer than asked for where more could not be shown: a rule may move at every point.
	epochs(asked) {
		if (this.rule.quietAbove !== Infinity) return asked;
		const {n, vectors} = this.rows;
		const most = mostUpdates(this.rows) + 1;
		return Math.min(asked, Math.ceil(most / (n * Math.max(1, vectors - 1))) + 1);
	}

	get isVoted() {
		return this.rule.votes;
	}

	get isAveraged() {
		return this.rule.averages && !this.rule.votes;
	}

	get reason() {
		return this.cut && this.ended.reason === "max_iter" ? "cut" : this.ended.reason;
	}

	// Make the updates again, as many as are shown, and keep the weights and scores on the way.
	follow() {
		const {rows, training} = this;
		const {entries} = training;
		const made = entries.length;
		const n = Math.min(made, mostUpdates(rows, this.isAveraged));
		[this.made, this.length] = [made, n];
		this.columns = Object.fromEntries(
			Object.entries(entries).map(([name, column]) => [name, column.slice(0, n)]),
		);
		let {t} = this.columns;
		let examples = n < made ? entries.t[n] - 1 : training.weights.t;
		let from = training.weights.averageFrom;
		if (this.placeholder) {
			// The row that stands for the missing class was counted at the end of each epoch.
			const length = rows.n + 1;
			const less = (number) => number - Math.floor(number / length);
			t = t.map((number) => number - Math.floor((number - 1) / length));
			[examples, from] = [n < made ? examples : less(examples), less(from)];
			if (n < made) examples = entries.t[n] - Math.floor((entries.t[n] - 1) / length) - 1;
		}
		this.columns.t = t;
		this.examples = examples;
		this.averageFrom = from >= examples ? 0 : from;
		this.replay();
		this.survived = t.map((time, i) => time - (i ? t[i - 1] : 1));
		this.survived.push(examples + 1 - (n ? t[n - 1] : 1));
		this.answers = this.isAveraged ? this.means() : null;
	}

	replay() {
		const {rows, columns, length} = this;
		const {vectors, d, X} = rows;
		const size = vectors * (d + 1);
		const flat = new Float64Array((length + 1) * size);
		const weights = this.fresh();
		this.scores = [];
		weights.write(flat, 0);
		for (let k = 0; k < length; k++) {
			const row = columns.row[k];
			// The scores of an example decided all of its updates.
			if (k && columns.t[k] === columns.t[k - 1]) this.scores.push(this.scores[k - 1]);
			else {
				const found = Array.from({length: vectors}, (_, c) => weights.score(X, row, c));
				this.scores.push(vectors === 1 ? found[0] : found);
			}
			this.repeat(weights, k, columns.t[k] - 1);
			weights.write(flat, (k + 1) * size);
		}
		this.weights = flat;
	}

	fresh({averaged = false} = {}) {
		const {rows, learner, rule} = this;
		const kept = {fitIntercept: learner.fit_intercept, averaged, rates: rule.rates};
		const weights = new Weights(rows.vectors, rows.d, kept);
		if (learner.initial) weights.set(learner.initial);
		return weights;
	}

	repeat(weights, k, seenBefore) {
		const {row, right, wrong, step, change} = this.columns;
		const {X, vectors} = this.rows;
		if (vectors === 1) {
			weights.move(X, row[k], 0, (2 * right[k] - 1) * step[k], change[k], seenBefore);
			return;
		}
		if (wrong[k] >= 0) weights.move(X, row[k], wrong[k], -step[k], change[k], seenBefore);
		weights.move(X, row[k], right[k], step[k], change[k], seenBefore);
	}

	// The mean over all examples before the next update; before the first that counts, the weights.
	means() {
		const {survived, weights, length, averageFrom} = this;
		const size = weights.length / (length + 1);
		const total = new Float64Array(size);
		const means = new Float64Array(weights.length);
		let [end, counts] = [0, 0];
		for (let k = 0; k <= length; k++) {
			const start = end;
			end += survived[k];
			const lived = Math.max(end, averageFrom) - Math.max(start, averageFrom);
			counts += lived;
			for (let i = 0; i < size; i++) {
				total[i] += lived * weights[k * size + i];
				means[k * size + i] = counts ? total[i] / counts : weights[k * size + i];
			}
		}
		const last = this.fresh({averaged: true});
		for (let k = 0; k < length; k++)
			this.repeat(last, k, Math.max(this.columns.t[k] - averageFrom, 1) - 1);
		last.t = this.examples - averageFrom;
		last.write(means, length * size, ...last.average());
		return means;
	}

	// How many numbers go into the scores of a point.
	cost() {
		return this.rows.vectors * this.rows.d;
	}

	// What a point of mapped features scores after `at` updates, by the weights that predict.
	values(at, x, i = 0) {
		const {vectors, d} = this.rows;
		const flat = this.answers ?? this.weights;
		const found = [];
		for (let c = 0; c < vectors; c++) {
			const from = (at * vectors + c) * (d + 1);
			found.push(dot(x, i, flat, from, d, flat[from + d]));
		}
		return found;
	}

	// What gives the scores of many points at any update, where that is quicker than one by one.
	get fieldOn() {
		return this.isVoted ? (X) => this.voteField(X) : null;
	}

	// What votes on points of mapped features.
	voteField(X) {
		const {weights, survived, learner, columns, rows} = this;
		const run = {...columns, weights, survived, learner, vectors: rows.vectors};
		return new VoteField(run, rows.X, X, rows.d);
	}

	// How many of the points are predicted wrongly at the end of the whole run.
	errors() {
		const {rows, training, learner, ended} = this;
		const plain = !this.rule.averages && learner.ties === "mistake";
		if (plain && ended.reason === "separated") return 0;
		const {weights} = training;
		const [w, b] = this.isAveraged ? weights.average() : [weights.w, weights.b];
		const votes = this.isVoted ? this.voteField(rows.X).at(this.length) : null;
		let wrong = 0;
		for (let row = 0; row < rows.n; row++) {
			const at = row * rows.d;
			const scores = votes
				? votes.subarray(row * rows.vectors, (row + 1) * rows.vectors)
				: Array.from(b, (bias, c) => dot(rows.X, at, w, c * rows.d, rows.d, bias));
			wrong += bestClass(scores, learner.ties) === rows.y[row] ? 0 : 1;
		}
		return wrong;
	}

	sentence() {
		const epochs = counted(this.ended.mistakesPerEpoch.length, "epoch", "epochs");
		const why = this.texts[this.reason];
		const said = [
			this.reason === "cut"
				? `Ended after ${epochs}, since the run grows long with so many points.`
				: `Stopped after ${epochs}. ${why[0].toUpperCase()}${why.slice(1)}.`,
		];
		// Of a vote that is not shown to its end, the errors are not counted here.
		if (!this.placeholder && !(this.isVoted && this.length < this.made))
			said.push(`${counted(this.errors(), "training error", "training errors")}.`);
		if (this.length < this.made) {
			const [made, shown] = [this.made, this.length].map((n) => grouped(n));
			said.push(`It made ${made} updates; the first ${shown} are shown.`);
		}
		return said.join(" ");
	}

	toJson() {
		const {rows, rule, columns, length} = this;
		const {row, t, right, wrong, step} = columns;
		return {
			title: titleOf(this.learner, this.offered),
			rule: rule.name,
			rates: rule.rates,
			even_steps: rule.evenSteps,
			votes: this.isVoted,
			learner: this.learner,
			stop_reason: this.reason,
			sentence: this.sentence(),
			n_updates: length,
			truncated: this.reason === "cut" || length < this.made,
			mistakes_per_epoch: this.ended.mistakesPerEpoch,
			vectors: rows.vectors,
			n_examples: this.examples,
			row: row.map((i) => rows.numbers[i]),
			t,
			epoch: t.map((time) => Math.floor((time - 1) / rows.n) + 1),
			score: this.scores,
			right,
			wrong,
			step,
			weights: this.weights && Array.from(this.weights),
			answers: this.answers && Array.from(this.answers),
			survived: this.isAveraged || this.isVoted ? this.survived : null,
			gamma: null,
			proof: null,
		};
	}
}
