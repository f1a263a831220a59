// The middle of the page: the views, one picture for each learner, and what hands can do to them.
import {VIEWS} from "./address.js";
import {drawMistakes} from "./charts.js";
import {button, choice, el, freshId, numberBox, setText} from "./dom.js";
import {Frame} from "./frame.js";
import {drawLift, liftWords} from "./lift.js";
import {markIcon} from "./look.js";
import {CanvasPen} from "./pen.js";
import {drawAreas, drawHands, drawPoints, drawUpdate, hasOwnLine, planeWords, pointRadius} from "./plane.js";
import {UpdateTable} from "./table.js";
import {drawWeightSpace, weightSpaceWords} from "./weightspace.js";
import {roundedTo, vector} from "./words.js";

const KEYS = "Arrow keys move a cursor (with Shift by less), Enter adds a point there or picks up the point under it and puts it down again, N and P go to the next and previous point, C changes its class, Delete removes it, Space steps, Escape lets go.";
const LIFT_KEYS = "Drag or use the arrow keys to turn the picture.";

// One picture: three sheets of canvas, so that the points are drawn once and only the lines move.
class Picture {
  constructor(stage, place) {
    this.stage = stage;
    this.studio = stage.studio;
    this.place = place;
    this.sheets = ["areas", "points", "over"].map((name) => el("canvas", {class: `sheet sheet-${name}`, "aria-hidden": "true"}));
    this.pens = this.sheets.map((sheet) => new CanvasPen(sheet.getContext("2d")));
    this.hint = el("p", {class: "unseen", id: freshId("hint")});
    this.surface = el("div", {class: "surface", tabindex: "0", role: "application", "aria-describedby": this.hint.id}, ...this.sheets);
    this.title = button("", () => this.studio.showRun(this.place), {class: "picture-title"});
    this.node = el("div", {class: "picture"}, this.title, this.surface, this.hint);
    this.contours = new Map();
    this.drawnPoints = null;
    this.listen();
  }

  get ledger() {
    return this.studio.stale ? null : this.studio.ledgers[this.place] ?? null;
  }

  scene(k = this.studio.at) {
    const {studio, ledger} = this;
    const at = ledger ? ledger.clip(k) : 0;
    const own = ledger && hasOwnLine({ledger, data: studio.points});
    return {data: studio.points, ledger, k: at, marks: studio.marks, look: studio.look, textSize: studio.textSize, theory: ledger?.run.theory,
      hasBias: ledger?.run.learner.bias,
      contour: own || !ledger ? null : this.contours.get(at) ?? this.lastContour, contourBefore: own || !ledger || !at ? null : this.contours.get(at - 1) ?? null,
      selected: studio.selected, cursor: this.focused ? this.cursor : null, holding: this.holding};
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
    const [x0, x1, y0, y1] = frame.box;
    return new Frame(width, height, [Math.max(x0, known[0]), Math.min(x1, known[1]), Math.max(y0, known[2]), Math.min(y1, known[3])]);
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
      setText(this.title, `${studio.runTitle(this.place)} · ${ledger ? `${scene.k} of ${ledger.length}` : ""}`);
      this.title.setAttribute("aria-pressed", String(studio.shown === this.place));
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
      this.frame.drawAxes(this.pens[0], studio.look, scene.data.columns, studio.textSize);
      const key = [studio.pointsNumber, studio.look.paper, studio.textSize, studio.box.join()].join("|");
      if (key !== this.drawnPoints) {
        this.drawnPoints = key;
        this.clear(1);
        drawPoints(this.pens[1], this.frame, scene);
      }
      this.clear(2);
      drawUpdate(this.pens[2], this.frame, scene);
      drawHands(this.pens[2], this.frame, scene);
    } else {
      this.drawnPoints = null;
      [0, 1, 2].forEach((i) => this.clear(i));
      if (view === "weights") drawWeightSpace(this.pens[2], width, height, scene);
      if (view === "lift") drawLift(this.pens[2], width, height, scene, this.stage.turn);
    }
    const words = view === "plane" ? planeWords(scene) : view === "weights" ? weightSpaceWords(scene) : liftWords(scene);
    const name = (many ? `${studio.runTitle(this.place)}. ` : "") + words;
    if (this.surface.getAttribute("aria-label") !== name) this.surface.setAttribute("aria-label", name);
    setText(this.hint, view === "plane" && studio.editable ? KEYS : view === "lift" ? LIFT_KEYS : "Space steps.");
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
      frame.drawAxes(pen, scene.look, scene.data.columns, scene.textSize);
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
      found = await studio.ask("contour", {state: studio.sent(), run: this.place, at: wanted, box: this.frame.box.map((v) => Number(v.toPrecision(6)))});
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
    if (found.problem && !studio.offline) setTimeout(() => this.contours.delete(wanted), 1000);
    if (wanted === k) this.lastContour = found;
    studio.redraw();
  }

  listen() {
    const {surface} = this;
    surface.addEventListener("pointerdown", (event) => this.press(event));
    surface.addEventListener("pointermove", (event) => this.drag(event));
    surface.addEventListener("pointerup", (event) => this.release(event));
    surface.addEventListener("pointercancel", () => this.letGo());
    surface.addEventListener("keydown", (event) => this.key(event));
    surface.addEventListener("focus", () => {
      this.focused = surface.matches(":focus-visible");
      this.cursor ??= this.middle();
      this.studio.redraw();
    });
    surface.addEventListener("blur", () => {
      this.focused = false;
      this.holding = false;
      this.studio.redraw();
    });
  }

  middle() {
    const [x0, x1, y0, y1] = this.studio.box;
    const [sx, sy] = this.cursorStep();
    return [roundedTo((x0 + x1) / 2, sx), roundedTo((y0 + y1) / 2, sy)];
  }

  cursorStep(fine = false) {
    const [sx, sy] = (this.frame ?? new Frame(400, 300, this.studio.box, {equal: true})).steps();
    return fine ? [sx / 10, sy / 10] : [sx / 2, sy / 2];
  }

  placeOf(event) {
    const bounds = this.surface.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  }

  nearest(px, py, reach) {
    const {rows} = this.studio.points;
    let [best, closest] = [null, reach * reach];
    for (let i = 0; i < rows.length; i += 1) {
      const distance = (this.frame.x(rows[i][0]) - px) ** 2 + (this.frame.y(rows[i][1]) - py) ** 2;
      if (distance <= closest) [best, closest] = [i, distance];
    }
    return best;
  }

  press(event) {
    if (event.button !== 0) return;
    const [px, py] = this.placeOf(event);
    const {studio} = this;
    studio.showRun(this.place);
    if (studio.state.view === "lift") {
      this.held = {turn: true, px, py};
      this.surface.setPointerCapture(event.pointerId);
      return;
    }
    if (studio.state.view !== "plane" || !studio.editable || !this.frame) return;
    const row = this.nearest(px, py, pointRadius(studio.points.rows.length, studio.textSize, this.frame.height) + 6);
    this.held = {row, px, py, moved: false};
    this.surface.setPointerCapture(event.pointerId);
    if (row !== null) studio.select(row);
  }

  drag(event) {
    if (!this.held) return;
    const [px, py] = this.placeOf(event);
    if (this.held.turn) {
      this.stage.turnBy((px - this.held.px) * 0.01, (py - this.held.py) * 0.01);
      [this.held.px, this.held.py] = [px, py];
      return;
    }
    if (Math.hypot(px - this.held.px, py - this.held.py) > 4) this.held.moved = true;
    if (this.held.row === null || !this.held.moved) return;
    this.studio.movePoint(this.held.row, ...this.rounded(px, py), {first: !this.held.began});
    this.held.began = true;
  }

  rounded(px, py) {
    const [sx, sy] = this.cursorStep(true);
    const [x0, x1, y0, y1] = this.frame.box;
    const [x, y] = this.frame.back(px, py);
    return [roundedTo(Math.max(x0, Math.min(x1, x)), sx / 2), roundedTo(Math.max(y0, Math.min(y1, y)), sy / 2)];
  }

  release(event) {
    const {held} = this;
    this.letGo();
    if (!held || held.turn || held.row !== null || held.moved) return;
    const [px, py] = this.placeOf(event);
    if (this.frame.holds(this.frame.back(px, py))) this.studio.addPoint(...this.rounded(px, py));
  }

  letGo() {
    this.held = null;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const {studio} = this;
    const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    const {view} = studio.state;
    let done = true;
    if (event.key === " ") studio.goTo(studio.at + 1);
    else if (event.key === "Home") studio.goTo(0);
    else if (event.key === "End") studio.goTo(studio.length);
    else if (view === "lift" && arrows) this.stage.turnBy(arrows[0] * 0.12, -arrows[1] * 0.12);
    else if (view === "plane" && studio.editable && this.frame) done = this.edit(event, arrows);
    else done = false;
    if (done) {
      event.preventDefault();
      this.focused = true;
      studio.redraw();
    }
  }

  edit(event, arrows) {
    const {studio} = this;
    const {rows} = studio.points;
    const {selected} = studio;
    if (arrows) {
      const [sx, sy] = this.cursorStep(event.shiftKey);
      const [x0, x1, y0, y1] = this.frame.box;
      this.cursor = [roundedTo(Math.max(x0, Math.min(x1, this.cursor[0] + arrows[0] * sx)), sx / 10), roundedTo(Math.max(y0, Math.min(y1, this.cursor[1] + arrows[1] * sy)), sy / 10)];
      if (this.holding && selected !== null) {
        studio.movePoint(selected, ...this.cursor, {first: !this.began});
        this.began = true;
      }
      studio.say(`${this.holding ? "Moving to" : "Cursor at"} ${vector(this.cursor)}`);
      return true;
    }
    const letter = event.key.toLowerCase();
    if (event.key === "Enter") {
      if (this.holding) {
        this.holding = false;
        studio.say(`Put down at ${vector(this.cursor)}.`);
        return true;
      }
      const under = this.nearest(...this.frame.at(this.cursor), 3);
      if (under === null) studio.addPoint(...this.cursor);
      else {
        studio.select(under);
        [this.holding, this.began] = [true, false];
        studio.say(`Picked up point ${under + 1}. Move it with the arrow keys, Enter puts it down.`);
      }
    } else if (event.key === "Escape") {
      this.holding = false;
      studio.select(null);
    } else if ((letter === "n" || letter === "p") && rows.length) {
      const next = selected === null ? (letter === "n" ? 0 : rows.length - 1) : (selected + (letter === "n" ? 1 : rows.length - 1)) % rows.length;
      this.holding = false;
      studio.select(next);
      this.cursor = rows[next].slice(0, 2);
      studio.say(`Point ${next + 1} at ${vector(rows[next])}, class ${studio.marks[studio.points.labels[next]].name}.`);
    } else if (letter === "c" && selected !== null) {
      studio.recolour(selected, (studio.points.labels[selected] + 1) % studio.marks.length);
    } else if ((event.key === "Delete" || event.key === "Backspace") && selected !== null) {
      this.holding = false;
      studio.removePoint(selected);
    } else return false;
    return true;
  }
}

export class Stage {
  constructor(studio) {
    this.studio = studio;
    this.turn = {yaw: 0.5, pitch: 0.42};
    this.pictures = [];
    this.tabs = VIEWS.map(([view, words]) => button(words, () => studio.show(view), {class: "tab", "data-view": view}));
    this.grid = el("div", {class: "pictures"});
    this.chart = el("canvas", {class: "epochs", role: "img"});
    this.table = new UpdateTable(studio);
    // Short for what the theory says, where that card may be out of sight.
    this.status = el("p", {class: "status", "aria-hidden": "true"});
    this.words = el("p", {class: "quiet words"});
    this.palette = el("div", {class: "palette row edit", role: "group", "aria-label": "Class of new points"});
    this.chosen = el("div", {class: "selected row edit"});
    this.node = el("section", {class: "card stage", "aria-label": "Pictures"},
      el("div", {class: "tabs"}, el("div", {class: "row", role: "group", "aria-label": "View"}, this.tabs), this.status), this.grid, this.chart, this.table.node, this.words, this.palette, this.chosen);
    new ResizeObserver(() => studio.redraw()).observe(this.node);
  }

  turnBy(yaw, pitch) {
    this.turn.yaw += yaw;
    this.turn.pitch = Math.max(-1.5, Math.min(1.5, this.turn.pitch + pitch));
    this.studio.redraw();
  }

  rebuild() {
    const count = Math.max(1, this.studio.ledgers.length);
    while (this.pictures.length > count) this.pictures.pop().node.remove();
    while (this.pictures.length < count) {
      const picture = new Picture(this, this.pictures.length);
      this.pictures.push(picture);
      this.grid.append(picture.node);
    }
    this.grid.className = `pictures pictures-${count}`;
    for (const picture of this.pictures) picture.forget();
    this.table.drawn = null;
  }

  draw() {
    const {studio} = this;
    const {view} = studio.state;
    const pictured = ["plane", "weights", "lift"].includes(view);
    for (const tab of this.tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === view));
    this.grid.hidden = !pictured;
    this.chart.hidden = view !== "mistakes";
    this.table.node.hidden = view !== "table" || !studio.ledger;
    this.palette.hidden = this.chosen.hidden = view !== "plane" || !studio.editable;
    if (pictured) for (const picture of this.pictures) picture.draw();
    if (view === "mistakes") this.drawChart();
    if (view === "table" && studio.ledger) this.table.follow();
    setText(this.words, this.explain(view));
  }

  explain(view) {
    const {studio} = this;
    const scene = this.pictures[studio.shown]?.scene();
    if (!scene) return "";
    if (view === "weights") return weightSpaceWords(scene);
    if (view === "lift") return `${liftWords(scene)} Drag it, or use the arrow keys.`;
    if (view === "mistakes") return "An epoch is one pass over all points. Training stops after the first epoch without a mistake.";
    if (view === "table") return "";
    const {ledger} = scene;
    const missing = scene.contour?.problem;
    if (missing) return missing;
    const line = ledger?.run.answers && hasOwnLine(scene) ? "Thin line: the present w. Thick line and areas: the mean of all w so far, which answers. " : "";
    return `${line}Dashed: before the update. Solid: after it. Ringed: the point just used. ×2: used twice so far.`;
  }

  drawChart() {
    const {studio, chart} = this;
    const {clientWidth: width, clientHeight: height} = chart;
    if (!width || !studio.answer?.runs.length) return;
    const ratio = window.devicePixelRatio || 1;
    [chart.width, chart.height] = [width * ratio, height * ratio];
    const context = chart.getContext("2d");
    context.scale(ratio, ratio);
    this.chartWith(new CanvasPen(context), width, height);
    const counts = studio.answer.runs.map((run, i) => `${studio.runTitle(i)}: ${run.mistakes_per_epoch.slice(0, 30).join(", ")}`).join("; ");
    chart.setAttribute("aria-label", `Mistakes in each epoch. ${counts}.`);
  }

  chartWith(pen, width, height) {
    const {studio} = this;
    const epoch = studio.ledger?.update(studio.at)?.epoch ?? null;
    drawMistakes(pen, width, height, studio.answer.runs, studio.shown, epoch, studio.look, studio.textSize, (i) => studio.runTitle(i));
  }

  // The chips of the classes, and the numbers of the selected point.
  fillHands() {
    const {studio} = this;
    const {marks, look, points, selected: row} = studio;
    const classes = JSON.stringify([look.paper, points.classes, points.columns]);
    // Made anew only where something else is shown: what has the focus must not vanish under it.
    if (this.paletteFor !== classes) {
      this.paletteFor = classes;
      this.chips = marks.map((mark) => button([markIcon(mark, look), el("span", {}, mark.name)], () => studio.brushWith(mark.place), {class: "chip", title: mark.label}));
      this.palette.replaceChildren(el("span", {class: "quiet"}, "Click the plane to add:"), ...this.chips, this.newClass());
    }
    this.chips.forEach((chip, place) => chip.setAttribute("aria-pressed", String(studio.brush === place)));
    const shown = row !== null && points.rows[row] ? `${row}${classes}` : "";
    if (this.chosenFor !== shown) {
      this.chosenFor = shown;
      this.chosen.replaceChildren(...(shown ? this.boxesFor(row) : []));
    }
    if (!shown) return;
    const [x, y, label] = this.chosen.querySelectorAll("input, select");
    [x.value, y.value, label.value] = [...points.rows[row], points.labels[row]].map(String);
  }

  boxesFor(row) {
    const {studio} = this;
    const name = `point ${row + 1}`;
    const at = (axis) => studio.points.rows[row][axis];
    return [el("span", {}, `Point ${row + 1}:`),
      numberBox(at(0), (value) => studio.movePoint(row, value, at(1)), {"aria-label": `${studio.points.columns[0]} of ${name}`}),
      numberBox(at(1), (value) => studio.movePoint(row, at(0), value), {"aria-label": `${studio.points.columns[1]} of ${name}`}),
      choice(studio.marks.map((mark) => [String(mark.place), mark.name]), "0", (place) => studio.recolour(row, Number(place)), {"aria-label": `class of ${name}`}),
      button("Delete", () => {
        studio.removePoint(row);
        this.pictures[0].surface.focus();
      }, {"aria-label": `Delete ${name}`})];
  }

  newClass() {
    const box = el("input", {type: "text", maxlength: "60", "aria-label": "Name of a new class", placeholder: "new class", class: "new-class"});
    const add = () => {
      if (!box.value.trim()) return;
      this.studio.addClass(box.value.trim());
      this.chips[this.studio.brush].focus();
    };
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") add();
    });
    return el("span", {class: "row tight"}, box, button("Add class", add, {class: "small"}));
  }
}
