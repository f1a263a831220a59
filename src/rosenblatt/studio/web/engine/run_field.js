// Numbers of a run on some points after any of its updates, each made from those before it.

// They are kept at every so many-th update, so that any position is near one that is known.
const KEPT_EVERY = 100;

function copied(state) {
	return Object.fromEntries(
		Object.entries(state).map(([name, numbers]) => [name, numbers.slice()]),
	);
}

// What extends it has `first()`, the arrays before the first update, `advance(state, k)`, which
// brings them past update k, and `result(state, at)`.
export class RunField {
	kept = new Map();

	// Where the last question was at the same update or before, one goes on from there.
	at(at) {
		let start = at - (at % KEPT_EVERY);
		while (start > 0 && !this.kept.has(start)) start -= KEPT_EVERY;
		const goesOn = this.last && this.last.at <= at && this.last.at >= start;
		const state = goesOn ? this.last.state : copied(this.kept.get(start) ?? this.first());
		for (let k = goesOn ? this.last.at : start; k < at; k++) {
			if (k % KEPT_EVERY === 0 && !this.kept.has(k)) this.kept.set(k, copied(state));
			this.advance(state, k);
		}
		this.last = {at, state};
		return this.result(state, at);
	}
}
