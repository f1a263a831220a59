// Where the page is in a run: after so many updates or, step by step, after so many examples.
import {clamped} from "../engine/numbers.js";
import {Visits} from "../engine/visits.js";

export class Position {
	constructor(studio) {
		this.studio = studio;
	}

	// The examples of the run that is shown, if each of them is a step.
	get visits() {
		const {ledger, points, state} = this.studio;
		if (state.each !== "example" || !ledger?.run.vectors) return null;
		ledger.visits ??= new Visits(ledger, points, state);
		return ledger.visits;
	}

	// What happened at the example that is shown; null at the start, and where updates are steps.
	get visit() {
		const {visits} = this;
		const t = this.studio.state.t ?? 0;
		return visits && t ? visits.at(t, this.studio.points.labels) : null;
	}

	get place() {
		return this.visits ? (this.studio.state.t ?? 0) : this.studio.at;
	}

	get reach() {
		return this.visits?.length ?? this.studio.length;
	}

	moveTo(place, given) {
		const {visits, studio} = this;
		if (!visits) {
			studio.goTo(place, given);
			return;
		}
		const t = clamped(Math.round(place), 0, visits.length);
		studio.goTo(visits.updates(t), {...given, t});
	}

	moveBy(steps) {
		this.moveTo(this.place + steps);
	}

	// Steps of another kind: the place in the run stays.
	stepBy(each) {
		const {state, ledger} = this.studio;
		state.each = each;
		state.t =
			each === "example" && ledger && state.at ? ledger.run.t[ledger.clip(state.at) - 1] : 0;
		this.studio.moved(true);
		this.studio.announce();
	}
}
