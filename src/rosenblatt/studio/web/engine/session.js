// The session in the page: what the page asks, answered without Python. It answers as the library
// does, to the last bit of float64; a learner that only the library has says so.
import {contour} from "./contours.js";
import {ledgerCsv, notebook, script} from "./exports.js";
import {KernelRun} from "./kernel_runs.js";
import {kernelTheory} from "./kernel_verdicts.js";
import {MappedRows} from "./mapped_rows.js";
import {PageRun} from "./page_runs.js";
import {hasRule} from "./rules.js";
import {checkInitial, complete, number, refusal, rowsOf, wholeNumber} from "./states.js";
import {Verdict} from "./verdicts.js";

// A page asks again and again of the same runs, at other updates.
const KEPT = 8;

const CLOSE = "Rounding decides in this run, so Python is asked for it.";

// What the library knows better; `answer` is the best that can be said without it.
export class NeedsPython extends Error {
	constructor(message, answer = null) {
		super(message);
		this.answer = answer;
	}
}

// What was learned for a state; worked out when asked for, then kept.
class Study {
	constructor(state, kit) {
		const data = rowsOf(state, kit.presets);
		Object.assign(this, {
			state,
			rows: new MappedRows(data, state.map, state.held),
			verdicts: new Map(),
		});
		this.place = {map: state.map, columns: data.columns};
		this.runs = state.learners.map((learner, i) => {
			const offered = kit.learners.find(({kind}) => kind === learner.kind);
			const {stop_reasons: texts} = kit;
			if (learner.kind === "kernel")
				return new KernelRun(learner, this.rows, state, offered, texts);
			if (!hasRule(learner.kind))
				throw new NeedsPython(
					`${offered.title} needs Python: start the page with "rosenblatt studio" to use it.`,
				);
			checkInitial(`Learner ${i + 1}`, learner, this.rows);
			return new PageRun(learner, this.rows, state, offered, texts);
		});
	}

	verdict(fitIntercept) {
		if (!this.verdicts.has(fitIntercept))
			this.verdicts.set(fitIntercept, new Verdict(this.rows, fitIntercept));
		return this.verdicts.get(fitIntercept);
	}

	toJson(state) {
		const runs = this.runs.map((run) => {
			if (!run.weights) return {...run.toJson(), theory: kernelTheory(run)};
			const verdict = this.verdict(run.learner.fit_intercept);
			const proof = verdict.proof(run);
			return {...run.toJson(), proof, theory: verdict.of(run, proof)};
		});
		const answer = {state, data: this.rows.toJson(), theory: runs[0].theory, runs};
		if (this.runs.some((run) => run.isClose)) throw new NeedsPython(CLOSE, answer);
		return answer;
	}

	chosen(body) {
		return this.runs[wholeNumber("run", body.run ?? 0, 0, this.runs.length - 1)];
	}
}

// A session from what Python tells of itself: learners with their settings, presets with their
// rows, the state to begin with, reasons to stop. Returns `ask(name, body)`, a promise of an
// answer.
export function createSession(kit) {
	const studies = new Map();
	const study = (state) => {
		const {at: _, view: __, ...asked} = state;
		const key = JSON.stringify(asked);
		const found = studies.get(key) ?? new Study(state, kit);
		studies.delete(key);
		studies.set(key, found);
		if (studies.size > KEPT) studies.delete(studies.keys().next().value);
		return found;
	};
	const of = (body) => study(complete(body.state ?? {}, kit));
	const questions = {
		start: () => ({...kit, state: complete(kit.state ?? {}, kit)}),
		run: (body) => {
			const state = complete(body, kit);
			return study(state).toJson(state);
		},
		contour: (body) => {
			const found = of(body);
			const run = found.chosen(body);
			const at = Math.min(wholeNumber("at", body.at ?? 0, 0, 1e9), run.length);
			if (!Array.isArray(body.box) || body.box.length !== 4)
				throw refusal("box", body.box, "four numbers");
			body.box.forEach((side, i) => {
				number(`box[${i}]`, side);
			});
			return contour(run, found.place, at, body.box);
		},
		script: (body) => ({text: script(study(complete(body, kit)))}),
		notebook: (body) => ({text: notebook(study(complete(body, kit)))}),
		csv: (body) => {
			const found = of(body);
			return {text: ledgerCsv(found.chosen(body), found.rows)};
		},
	};
	return async (name, body = {}) => {
		if (!Object.hasOwn(questions, name)) throw new NeedsPython(`"${name}" needs Python.`);
		return questions[name](body);
	};
}
