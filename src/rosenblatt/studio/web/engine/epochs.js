// Epoch after epoch until there is a reason to stop: the library's models/epochs.py.
import {Shuffle} from "./shuffle.js";

const PATIENCE = 5;

// What learns row by row extends it: it has rows {X, y, n, d}, a rule, counts of updates and
// mistakes, `learnRow`, what decides how learning goes on (`key`), and what a run proves.
export class Epochs {
	// Learn until there is a reason to stop: {reason, mistakesPerEpoch}.
	run({epochs, shuffle, seed}) {
		const {rule} = this;
		const tol = rule.blamesAll ? 1e-3 : 1e-4;
		const separates = !rule.blamesAll;
		const order = Int32Array.from({length: this.n}, (_, i) => i);
		const random = shuffle ? new Shuffle(seed) : null;
		const seen = random ? null : new Set([this.key()]);
		const mistakesPerEpoch = [];
		const losses = [];
		let [ceiling, least, leastAt, nextStart] = [Infinity, Infinity, 0, null];
		const ended = (reason) => ({reason, mistakesPerEpoch});
		for (let epoch = 1; epoch <= epochs; epoch++) {
			const [updatesBefore, mistakesBefore] = [this.updates, this.mistakes];
			if (random) random.fill(order);
			for (let i = 0; i < this.n; i++) this.learnRow(order[i]);
			const mistakes = this.mistakes - mistakesBefore;
			mistakesPerEpoch.push(mistakes);
			if (rule.etaAfter) rule.eta = rule.etaAfter(epoch);
			if (rule.blamesAll) {
				const counted = this.n - (this.skipped < 0 ? 0 : 1);
				losses.push(this.loss / (counted || 1) - losses.reduce((sum, loss) => sum + loss, 0));
			}
			if (rule.tail && (epoch & (epoch - 1)) === 0) {
				if (nextStart) this.weights.beginAverage(nextStart);
				nextStart = this.weights.total();
			}
			const changed = this.updates > updatesBefore;
			ceiling = Math.min(ceiling, this.marginCeiling());
			const found = losses.length ? losses : mistakesPerEpoch;
			if (found.at(-1) < least - (losses.length ? tol : 0))
				[least, leastAt] = [found.at(-1), epoch - 1];
			const withoutGain = epoch - 1 - leastAt;
			const settled = !changed || withoutGain >= PATIENCE || epoch === epochs;
			if (mistakes === 0 && separates && settled && (!changed || this.allRight()))
				return ended("separated");
			if (mistakes && !changed) return ended("cycle");
			if (seen) {
				const key = this.key();
				if (seen.has(key)) return ended("cycle");
				seen.add(key);
			}
			const proven = separates && ceiling <= tol * this.longest;
			if (mistakes && proven && (withoutGain >= PATIENCE || rule.averages))
				return ended("tolerance");
			const converges = separates && !rule.rates;
			if (withoutGain >= PATIENCE && (!converges || this.contradicted())) return ended("no_gain");
		}
		return ended("max_iter");
	}

	// Whether equal rows have different labels, so that nothing separates them.
	contradicted() {
		this.isContradicted ??= (() => {
			const labels = new Map();
			for (let row = 0; row < this.n; row++) {
				if (row === this.skipped) continue;
				const key = this.X.slice(row * this.d, (row + 1) * this.d).join();
				if ((labels.get(key) ?? this.y[row]) !== this.y[row]) return true;
				labels.set(key, this.y[row]);
			}
			return false;
		})();
		return this.isContradicted;
	}
}
