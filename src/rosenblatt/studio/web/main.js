// The studio: holds the state, asks for runs, and keeps every part of the page in step.
import {boundsOf, boxAround, boxCorners} from "./engine/geometry.js";
import {clamped} from "./engine/numbers.js";
import {RunLedger} from "./engine/run_ledger.js";
import {setLearners} from "./state/catalogue.js";
import {localPoints, PointEditor} from "./state/point_editor.js";
import {Position} from "./state/position.js";
import {AddressBar} from "./views/address_bar.js";
import {setText} from "./views/dom.js";
import {lay, partsOf} from "./views/layout.js";
import {marksOf} from "./views/marks.js";

const MOST_UNDO = 50;
const STATE_FIELDS = "v data map learners order seed epochs held at view".split(" ");
const FIRST = {view: "plane", at: 0};
const NO_POINTS = localPoints({rows: []}, ["A", "B"]);

class Studio {
	constructor(
		root,
		{ask, initial, address = false, editable = true, play = false, box = null, parts = null},
	) {
		Object.assign(this, {root, ask, address, editable, play, parts});
		this.givenBox = box;
		this.state = {...FIRST, ...initial};
		this.points = NO_POINTS;
		this.marks = marksOf(NO_POINTS.classes);
		this.ledgers = [];
		this.past = [];
		[this.shown, this.answerNumber, this.pointsNumber] = [0, 0, 0];
		this.box = [-3, 3, -3, 3];
		this.build();
	}

	build() {
		this.editor = new PointEditor(this);
		this.position = new Position(this);
		this.addressBar = new AddressBar(this);
		Object.assign(this, partsOf(this));
		lay(this);
		this.appearance.apply();
		this.updateCard.show();
	}

	async start() {
		try {
			const {state, presets, learners, name, notes} = await this.ask("start", {});
			Object.assign(this, {presets, courseNotes: notes});
			setLearners(learners);
			if (!this.state.data) Object.assign(this.state, state);
			if (state?.data && !state.data.preset) this.name = name;
		} catch {
			// An older or smaller server: the run fills in what is missing.
		}
		const isNamed = this.addressBar.begin();
		await this.run({fresh: true});
		// Who opens the page without an address sees at once what it is about.
		if (this.play && !isNamed && this.length && !this.at) this.playback.present();
	}

	// Another state, all of it.
	begin(state, shown = 0) {
		this.state = {...FIRST, ...state};
		this.shown = shown;
	}

	// What is sent: the state's own fields and nothing else. Learners of a lesson are not named.
	sent() {
		const fields = STATE_FIELDS.filter((field) => !(field === "learners" && this.lesson));
		const filled = fields.filter((field) => this.state[field] !== undefined);
		return Object.fromEntries(filled.map((field) => [field, this.state[field]]));
	}

	get at() {
		return this.state.at;
	}

	get length() {
		return Math.max(0, ...this.ledgers.map((ledger) => ledger.length));
	}

	get ledger() {
		return this.stale ? null : (this.ledgers[this.shown] ?? null);
	}

	// One question at a time; while one is under way only the newest change waits.
	async run({fresh = false} = {}) {
		this.fresh ||= fresh;
		if (this.running) {
			this.again = true;
			return;
		}
		this.running = true;
		do {
			this.again = false;
			await this.runOnce();
		} while (this.again);
		this.running = false;
	}

	async runOnce() {
		if (this.state.data?.rows?.length === 0) {
			this.noRun(null);
			return;
		}
		const asked = this.sent();
		try {
			const answer = await this.ask("run", asked);
			if (this.again) return;
			this.take(answer);
		} catch (error) {
			if (!this.again) this.noRun(error.message);
		}
	}

	take(answer) {
		const {at, view, each, t, show} = this.state;
		this.answer = answer;
		this.lesson = false;
		this.state = {...answer.state, view: view ?? answer.state.view, each, t, show};
		this.answerNumber += 1;
		const extra = this.points.classes.filter(
			(name) => this.editor.newClasses.has(name) && !answer.data.classes.includes(name),
		);
		this.setPoints({...answer.data, classes: [...answer.data.classes, ...extra]});
		this.ledgers = answer.runs.map((run) => new RunLedger(run, answer.data));
		this.shown = Math.min(this.shown, this.ledgers.length - 1);
		this.state.at = clamped(at ?? answer.state.at ?? 0, 0, this.length);
		const {visits} = this.position;
		if (visits) this.state.at = visits.updates(t ?? 0);
		this.stale = false;
		this.problem = null;
		// Weights that were given are seen where they begin.
		const given = answer.runs.filter((run) => run.vectors === 1 && run.learner.initial);
		const starts = given.map((run) => run.weights.slice(0, 2));
		// A line without an intercept turns around the origin, so that is seen as well.
		const turns = answer.runs.some((run) => run.learner.fit_intercept === false);
		const origin = turns ? [[0, 0]] : [];
		if (this.fresh) this.box = boxAround([...answer.data.rows, ...starts, ...origin]);
		else this.growBox();
		this.fresh = false;
		const said = answer.runs.filter((run) => run.truncated).map((run) => run.sentence);
		this.tell(said.join(" "), true);
		this.stage.rebuild();
		this.refresh();
	}

	noRun(problem) {
		this.problem = problem;
		if (this.state.data?.rows) this.setPoints(localPoints(this.state.data, this.points.classes));
		this.ledgers = [];
		this.answer = null;
		this.stale = false;
		this.answerNumber += 1;
		this.state.at = 0;
		this.state.learners ??= [{kind: "perceptron"}];
		this.tell(problem ?? "");
		if (this.fresh && this.points.rows.length) this.box = boxAround(this.points.rows);
		this.fresh = false;
		this.stage.rebuild();
		this.refresh();
	}

	setPoints(points) {
		const brushed = this.marks[this.editor.brush]?.label;
		this.points = points;
		this.marks = marksOf(points.classes);
		this.editor.follow(points, brushed);
		this.pointsNumber += 1;
	}

	// The picture stays as it is while all points are seen: nothing jumps away under a hand.
	growBox() {
		const {box} = this;
		const all = boxAround(this.points.rows);
		const seen = this.stage.pictures[0]?.frame?.box ?? box;
		const outside = this.points.rows.some(
			([x, y]) => x < seen[0] || x > seen[1] || y < seen[2] || y > seen[3],
		);
		if (outside) this.box = boundsOf(boxCorners(all), box);
	}

	// Everything anew: after a run, a change of theme or of the learner shown.
	refresh() {
		for (const part of [this.dataBar, this.learnerBar, this.orderBar]) part.show();
		this.stage.palette.fill();
		this.pointTable.fill();
		this.moved(true);
		this.announce();
	}

	// After a step. Only drawing; it happens once a frame however many steps there were.
	moved(all = false) {
		this.wholeFrame ||= all;
		this.stepFrame = true;
		this.redraw();
	}

	redraw() {
		if (this.frameAsked) return;
		this.frameAsked = requestAnimationFrame(() => {
			this.frameAsked = null;
			this.drawNow();
		});
	}

	drawNow() {
		const [all, stepped] = [this.wholeFrame, this.stepFrame || this.wholeFrame];
		this.wholeFrame = this.stepFrame = false;
		this.stage.draw();
		if (stepped) {
			this.playback.show();
			this.updateCard.show();
			this.pointTable.count();
			this.lecture.notes.show();
			this.addressBar.write();
		}
		this.theoryCard.show(all);
	}

	goTo(k, {quiet = false, t = null} = {}) {
		this.state.at = clamped(Math.round(k), 0, this.length);
		const before = this.ledger?.update(this.state.at);
		this.state.t = t ?? (this.position.visits ? (before?.t ?? 0) : 0);
		this.moved();
		if (!quiet) this.announce();
	}

	announce() {
		setText(this.live, this.updateCard.sentence());
	}

	say(words) {
		setText(this.spoken, words);
	}

	tell(words, calm = false) {
		this.alert.className = calm && words ? "notice" : "problem";
		setText(this.alert, words);
	}

	show(view) {
		this.state.view = view;
		this.moved(true);
	}

	showRun(place) {
		if (this.shown === place || !this.ledgers[place]) return;
		this.shown = place;
		this.moved(true);
		this.announce();
	}

	runTitle(place) {
		const {runs} = this.answer;
		const {title} = runs[place];
		return runs.filter((run) => run.title === title).length > 1 ? `${title} (${place + 1})` : title;
	}

	remember() {
		this.past.push(JSON.stringify(this.sent()));
		if (this.past.length > MOST_UNDO) this.past.shift();
	}

	change(patch, {fresh = false, keep = false} = {}) {
		if (!this.editable) return;
		if (!keep) this.remember();
		if (patch.learners && !patch.data) [this.ownLearners, this.lesson] = [true, false];
		Object.assign(this.state, patch);
		this.run({fresh});
	}

	undo() {
		const last = this.past.pop();
		if (!last) return;
		this.state = JSON.parse(last);
		this.editor.newClasses.clear();
		this.run({fresh: true});
	}

	// A lesson has its own order; what was shuffled for a table of ones own is so no longer.
	usePreset(preset) {
		if (!preset) return;
		this.newData({preset}, this.own ? {order: "given"} : {});
		this.own = null;
	}

	// Data of ones own, what they are called and what was done to them.
	useData(data, {name, about, order}) {
		this.name = name ?? null;
		this.own = {about};
		this.newData(data, {order});
	}

	// A lesson brings its own learner; one that was chosen by hand stays.
	newData(data, given) {
		this.editor.selected = null;
		this.editor.newClasses.clear();
		const learners = this.state.learners?.map((learner) => ({...learner, initial: null}));
		this.remember();
		this.lesson = !this.ownLearners;
		this.change({data, learners, at: 0, ...given}, {fresh: true, keep: true});
	}

	clear() {
		this.editor.selected = null;
		this.change({data: {columns: this.points.columns, rows: []}, at: 0});
	}

	get theme() {
		return this.appearance.theme;
	}

	get textSize() {
		return this.appearance.textSize;
	}
}

export function mount(root, given) {
	const studio = new Studio(root, given);
	studio.ready = studio.start();
	return studio;
}
