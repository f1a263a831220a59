// One picture of a learner: three sheets of canvas, so that the points are drawn once and only the
// lines move.
import {button, el, freshId, press, setText} from "./dom.js";
import {errorsOf} from "./error_strip.js";
import {axisNames, Frame} from "./frame.js";
import {drawLift, liftWords} from "./lift.js";
import {shownOf} from "./overlays.js";
import {CanvasPen} from "./pen.js";
import {drawAreas, drawCursor, drawPoints, drawUpdate, hasOwnLine, planeWords} from "./plane.js";
import {keyHelp, PointerAndKeys} from "./pointer_and_keys.js";
import {drawWeightSpace, weightSpaceWords} from "./weight_space.js";

const WORDS = {plane: planeWords, weights: weightSpaceWords};

export class Picture {
	constructor(stage, place) {
		this.stage = stage;
		this.studio = stage.studio;
		this.place = place;
		this.sheets = ["areas", "points", "over"].map((name) =>
			el("canvas", {class: `sheet sheet-${name}`, "aria-hidden": "true"}),
		);
		this.pens = this.sheets.map((sheet) => new CanvasPen(sheet.getContext("2d")));
		this.hint = el("p", {class: "unseen", id: freshId("hint")});
		const given = {class: "surface", tabindex: "0", role: "application"};
		this.surface = el("div", {...given, "aria-describedby": this.hint.id}, ...this.sheets);
		this.title = button("", () => this.studio.showRun(this.place), {class: "picture-title"});
		this.node = el("div", {class: "picture"}, this.title, this.surface, this.hint);
		this.contours = new Map();
		this.drawnPoints = null;
		this.input = new PointerAndKeys(this);
	}

	get ledger() {
		return this.studio.stale ? null : (this.studio.ledgers[this.place] ?? null);
	}

	scene(k = this.studio.at) {
		const {studio, ledger, input} = this;
		const at = ledger ? ledger.clip(k) : 0;
		const own = ledger && hasOwnLine({ledger, data: studio.points});
		const visit = this.place === studio.shown ? studio.position.visit : null;
		return {
			data: studio.points,
			ledger,
			k: at,
			marks: studio.marks,
			heldOut: new Set(studio.points.held ?? []),
			theme: studio.theme,
			textSize: studio.textSize,
			theory: ledger?.run.theory,
			map: studio.state.map,
			show: shownOf(studio.state),
			visit,
			// Whether the last thing that happened was an update.
			moved: at > 0 && (!visit || visit.after > visit.before),
			wrong: (ledger && errorsOf(ledger, studio.points)?.at(at).wrong) ?? [],
			hasBias: ledger?.run.learner.fit_intercept,
			contour: own || !ledger ? null : (this.contours.get(at) ?? this.lastContour),
			contourBefore: own || !ledger || !at ? null : (this.contours.get(at - 1) ?? null),
			selected: studio.editor.selected,
			cursor: input.focused ? input.cursor : null,
			holding: input.holding,
		};
	}

	forget() {
		this.contours.clear();
		this.lastContour = null;
		this.drawnPoints = null;
	}

	resize() {
		const {clientWidth: width, clientHeight: height} = this.surface;
		const ratio = window.devicePixelRatio || 1;
		const key = [width, height, ratio].join();
		if (key !== this.sizeKey) {
			this.sizeKey = key;
			this.drawnPoints = null;
			this.sheets.forEach((sheet, i) => {
				[sheet.width, sheet.height] = [Math.round(width * ratio), Math.round(height * ratio)];
				this.pens[i].context.setTransform(ratio, 0, 0, ratio, 0, 0);
			});
		}
		return [width, height];
	}

	frameFor(width, height) {
		const {box, givenBox: known, points} = this.studio;
		const frame = new Frame(width, height, box, {equal: true});
		if (!known || !this.ledger || hasOwnLine({ledger: this.ledger, data: points})) return frame;
		// A file brings its curves for one box; beyond it nothing is known, so nothing is shown.
		const inner = (side, i) => (i % 2 ? Math.min(side, known[i]) : Math.max(side, known[i]));
		return new Frame(width, height, frame.box.map(inner));
	}

	clear(i) {
		const {context} = this.pens[i];
		context.clearRect(0, 0, this.sheets[i].width, this.sheets[i].height);
	}

	draw() {
		const [width, height] = this.resize();
		if (!width) return;
		const {studio} = this;
		const view = studio.state.view;
		const scene = this.scene();
		const {ledger} = scene;
		const many = studio.ledgers.length > 1;
		this.title.hidden = !many;
		if (many) {
			const missed =
				ledger && errorsOf(ledger, studio.points) ? `${scene.wrong.length} wrong · ` : "";
			const step = ledger ? `${missed}${scene.k} of ${ledger.length}` : "";
			setText(this.title, `${studio.runTitle(this.place)} · ${step}`);
			press(this.title, studio.shown === this.place);
		}
		this.node.classList.toggle("chosen", many && studio.shown === this.place);
		if (view === "plane") {
			this.frame = this.frameFor(width, height);
			const seen = this.frame.box.join();
			// Areas that were asked for a smaller window do not fill a larger one.
			if (seen !== this.seen) this.contours.clear();
			this.seen = seen;
			this.askContours(scene);
			this.clear(0);
			drawAreas(this.pens[0], this.frame, scene);
			this.frame.drawAxes(this.pens[0], studio.theme, axisNames(scene.data), studio.textSize);
			const {pointsNumber, theme, textSize, box} = studio;
			const key = [pointsNumber, theme.paper, textSize, ...box].join("|");
			if (key !== this.drawnPoints) {
				this.drawnPoints = key;
				this.clear(1);
				drawPoints(this.pens[1], this.frame, scene);
			}
			this.clear(2);
			drawUpdate(this.pens[2], this.frame, scene);
			drawCursor(this.pens[2], this.frame, scene);
		} else {
			this.drawnPoints = null;
			for (const i of [0, 1, 2]) this.clear(i);
			if (view === "weights") drawWeightSpace(this.pens[2], width, height, scene);
			if (view === "lift") drawLift(this.pens[2], width, height, scene, this.stage.turn);
		}
		const words = (WORDS[view] ?? liftWords)(scene);
		const name = (many ? `${studio.runTitle(this.place)}. ` : "") + words;
		if (this.surface.getAttribute("aria-label") !== name)
			this.surface.setAttribute("aria-label", name);
		setText(this.hint, keyHelp(view, studio.editable));
	}

	// For an export: the same on any pen.
	drawWith(pen, width, height) {
		const view = this.studio.state.view;
		const scene = this.scene();
		if (view === "weights") drawWeightSpace(pen, width, height, scene);
		else if (view === "lift") drawLift(pen, width, height, scene, this.stage.turn);
		else {
			const frame = this.frameFor(width, height);
			drawAreas(pen, frame, scene);
			frame.drawAxes(pen, scene.theme, axisNames(scene.data), scene.textSize);
			drawPoints(pen, frame, scene);
			drawUpdate(pen, frame, scene);
		}
	}

	// Curved or many lines come from Python; one question at a time, the newest position first.
	async askContours(scene) {
		const {ledger, k} = scene;
		if (!ledger || this.asking || hasOwnLine(scene)) return;
		const wanted = [k, k - 1].find((at) => at >= 0 && !this.contours.has(at));
		if (wanted === undefined) {
			this.lastContour = this.contours.get(k);
			return;
		}
		const {studio, seen} = this;
		const number = studio.answerNumber;
		this.asking = true;
		let found;
		try {
			found = await studio.ask("contour", {
				state: studio.sent(),
				run: this.place,
				at: wanted,
				box: this.frame.box.map((v) => Number(v.toPrecision(6))),
			});
		} catch (error) {
			found = {lines: [], regions: null, problem: error.message};
		}
		this.asking = false;
		if (number !== studio.answerNumber || seen !== this.seen) {
			studio.redraw();
			return;
		}
		if (this.contours.size > 400) this.contours.clear();
		this.contours.set(wanted, found);
		// A server that was away may be back at the next look; a file has no more than it has.
		if (found.problem) setTimeout(() => this.contours.delete(wanted), 1000);
		if (wanted === k) this.lastContour = found;
		studio.redraw();
	}
}
