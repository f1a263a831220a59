// The studio: holds the state, asks for runs, and keeps every part of the page in step.
import {LEARNER_DEFAULTS, readAddress, writeAddress} from "./address.js";
import {DataBar, LearnerBar, OrderBar, KINDS} from "./controls.js";
import {button, el, setText} from "./dom.js";
import {ExportMenu} from "./exports.js";
import {boxAround} from "./frame.js";
import {RunLedger} from "./ledger.js";
import {LOOKS, marksOf} from "./look.js";
import {OwnData} from "./owndata.js";
import {Stage} from "./stage.js";
import {Story, Theory} from "./story.js";
import {PointTable} from "./table.js";
import {Transport} from "./transport.js";

const MOST_UNDO = 50;
const STATE_FIELDS = ["v", "data", "map", "learners", "order", "seed", "epochs", "at", "view"];
const NO_POINTS = {columns: ["x", "y"], rows: [], labels: [], classes: ["A", "B"], features: ["x", "y"], mapped: null};

class Studio {
  constructor(root, {ask, initial, address = false, offline = false, box = null}) {
    Object.assign(this, {root, ask, address, offline, editable: !offline});
    this.givenBox = box;
    this.state = {view: "plane", at: 0, ...initial};
    this.points = NO_POINTS;
    this.marks = marksOf(NO_POINTS.classes);
    this.ledgers = [];
    this.past = [];
    [this.shown, this.brush, this.selected] = [0, 1, null];
    [this.answerNumber, this.pointsNumber] = [0, 0];
    this.box = [-3, 3, -3, 3];
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.build();
  }

  build() {
    this.live = el("p", {class: "live", "aria-live": "polite"});
    this.spoken = el("p", {class: "unseen", "aria-live": "polite"});
    this.alert = el("p", {class: "problem", role: "alert"});
    this.own = new OwnData(this);
    this.dataBar = new DataBar(this, () => this.own.open());
    this.learnerBar = new LearnerBar(this);
    this.orderBar = new OrderBar(this);
    this.stage = new Stage(this);
    this.transport = new Transport(this);
    this.story = new Story(this);
    this.theory = new Theory(this);
    this.pointTable = new PointTable(this);
    this.exports = new ExportMenu(this);
    this.lookButton = button("Dark", () => this.switchLook());
    this.sizeButton = button("Larger type", () => this.switchSize(), {"aria-pressed": "false"});
    this.stage.node.insertBefore(this.transport.node, this.stage.words);
    this.stage.node.insertBefore(this.live, this.stage.words);
    const notice = this.offline ? el("p", {class: "notice"}, "This file replays a run. To change the points or the learner, open them in the studio.") : null;
    this.root.replaceChildren(
      el("header", {class: "head"},
        el("div", {}, el("h1", {}, "Perceptron studio"),
          el("p", {class: "lede"}, this.offline ? "See how a perceptron learned: each mistake moves the line. Step through the updates." : "Watch a perceptron learn: each mistake moves the line. Step through the updates, or click the plane to add points of your own.")),
        el("div", {class: "row tools"}, this.exports.node, this.lookButton, this.sizeButton)),
      this.alert, ...(notice ? [notice] : []),
      el("main", {class: "layout"}, this.stage.node, this.story.node, this.theory.node,
        el("div", {class: "setup edit"}, this.dataBar.node, this.learnerBar.node, this.orderBar.node), this.pointTable.node),
      this.spoken, this.own.node);
    this.root.classList.add("studio");
    this.root.classList.toggle("offline", this.offline);
    this.dark.addEventListener("change", () => this.wear());
    if (this.address) window.addEventListener("hashchange", () => this.readHash());
    this.wear();
    this.story.show();
  }

  async start() {
    try {
      const {state, presets, name} = await this.ask("start", {});
      this.presets = presets;
      if (!this.state.data) Object.assign(this.state, state);
      if (state?.data && !state.data.preset) this.name = name;
    } catch {
      // An older or smaller server: the run fills in what is missing.
    }
    const read = this.address ? readAddress(location.hash) : null;
    if (read) {
      // What the address does not name has its default, not what the server would start with.
      this.state = {view: "plane", at: 0, ...(read.state.data ? {} : {data: this.state.data}), ...(read.state.learners || read.state.data ? {} : {learners: this.state.learners}), ...read.state};
      this.shown = read.shown;
    }
    await this.run({fresh: true});
  }

  async readHash() {
    if (location.hash === this.written) return;
    const read = readAddress(location.hash);
    if (!read) return;
    this.remember();
    this.state = {view: "plane", at: 0, ...read.state};
    this.shown = read.shown;
    await this.run({fresh: true});
  }

  // What is sent: the state's own fields and nothing else. Learners that a lesson brings are not named.
  sent() {
    return Object.fromEntries(STATE_FIELDS.filter((field) => this.state[field] !== undefined && !(field === "learners" && this.lesson)).map((field) => [field, this.state[field]]));
  }

  get at() {
    return this.state.at;
  }

  get length() {
    return Math.max(0, ...this.ledgers.map((ledger) => ledger.length));
  }

  get ledger() {
    return this.stale ? null : this.ledgers[this.shown] ?? null;
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
    const {at, view} = this.state;
    this.answer = answer;
    this.lesson = false;
    this.state = {...answer.state, view: view ?? answer.state.view};
    this.answerNumber += 1;
    const extra = this.points.classes.filter((name) => this.newClasses?.has(name) && !answer.data.classes.includes(name));
    this.setPoints({...answer.data, classes: [...answer.data.classes, ...extra]});
    this.ledgers = answer.runs.map((run) => new RunLedger(run, answer.data));
    this.shown = Math.min(this.shown, this.ledgers.length - 1);
    this.state.at = Math.max(0, Math.min(this.length, at ?? answer.state.at ?? 0));
    this.stale = false;
    this.problem = null;
    if (this.fresh) this.box = boxAround(answer.data.rows);
    else this.growBox();
    this.fresh = false;
    const said = answer.runs.filter((run) => run.truncated).map((run) => run.sentence);
    this.tell(said.join(" "), true);
    this.stage.rebuild();
    this.refresh();
  }

  noRun(problem) {
    this.problem = problem;
    if (this.state.data?.rows) this.setPoints(this.localPoints(this.state.data));
    this.ledgers = [];
    this.answer = null;
    this.stale = false;
    this.answerNumber += 1;
    this.state.at = 0;
    this.state.learners ??= [{kind: "perceptron", ...LEARNER_DEFAULTS}];
    this.tell(problem ?? "");
    if (this.fresh && this.points.rows.length) this.box = boxAround(this.points.rows);
    this.fresh = false;
    this.stage.rebuild();
    this.refresh();
  }

  localPoints({columns, rows}) {
    const classes = this.points.classes.slice();
    const labels = rows.map(([, , label]) => {
      if (!classes.includes(label)) classes.push(label);
      return classes.indexOf(label);
    });
    return {columns: columns ?? ["x", "y"], rows: rows.map((row) => row.slice(0, 2)), labels, classes, features: columns ?? ["x", "y"], mapped: null};
  }

  setPoints(points) {
    const {brush, marks} = this;
    const brushed = marks[brush]?.label;
    this.points = points;
    this.marks = marksOf(points.classes);
    this.brush = Math.max(0, points.classes.includes(brushed) ? points.classes.indexOf(brushed) : points.classes.length - 1);
    this.pointsNumber += 1;
    if (this.selected !== null && this.selected >= points.rows.length) this.selected = null;
  }

  // The picture stays as it is while all points are seen: nothing jumps away under a hand.
  growBox() {
    const {box} = this;
    const all = boxAround(this.points.rows);
    const seen = this.stage.pictures[0]?.frame?.box ?? box;
    const outside = this.points.rows.some(([x, y]) => x < seen[0] || x > seen[1] || y < seen[2] || y > seen[3]);
    if (outside) this.box = [Math.min(box[0], all[0]), Math.max(box[1], all[1]), Math.min(box[2], all[2]), Math.max(box[3], all[3])];
  }

  // Everything anew: after a run, a change of look or of the learner shown.
  refresh() {
    for (const part of [this.dataBar, this.learnerBar, this.orderBar]) part.show();
    this.stage.fillHands();
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
      this.transport.show();
      this.story.show();
      this.pointTable.count();
      this.writeHash();
    }
    this.theory.show(all);
  }

  writeHash() {
    if (!this.address || !this.state.data || !this.state.learners) return;
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      this.written = writeAddress(this.state, this.shown);
      try {
        history.replaceState(null, "", this.written);
      } catch {
        // A file opened without an address of its own cannot carry one.
      }
    }, 150);
  }

  goTo(k, {quiet = false} = {}) {
    this.state.at = Math.max(0, Math.min(this.length, Math.round(k)));
    this.moved();
    if (!quiet) this.announce();
  }

  announce() {
    setText(this.live, this.story.sentence());
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

  // Changes of the state.

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
    this.newClasses?.clear();
    this.run({fresh: true});
  }

  usePreset(preset) {
    if (!preset) return;
    this.selected = null;
    this.newClasses?.clear();
    // A lesson brings its own learner; one that was chosen by hand stays.
    this.newData({preset});
  }

  useData(data, name) {
    this.name = name ?? null;
    this.selected = null;
    this.newClasses?.clear();
    this.newData(data);
  }

  newData(data) {
    const learners = this.state.learners?.map((learner) => ({...learner, initial: null}));
    this.remember();
    this.lesson = !this.ownLearners;
    this.change({data, learners, at: 0}, {fresh: true, keep: true});
  }

  clear() {
    this.selected = null;
    this.change({data: {columns: this.points.columns, rows: []}, at: 0});
  }

  changeLearner(i, patch) {
    this.change({learners: this.state.learners.map((learner, j) => (j === i ? {...learner, ...patch} : learner))});
  }

  changeKind(i, kind) {
    if (!this.state.learners[i]) return;
    const {ties, bias} = this.state.learners[i];
    this.change({learners: this.state.learners.map((learner, j) => (j === i ? {kind, ties, bias} : learner))});
  }

  addLearner() {
    const {learners} = this.state;
    const kind = KINDS.map(([name]) => name).find((name) => !learners.some((learner) => learner.kind === name)) ?? "perceptron";
    const {ties, bias} = learners[0];
    this.change({learners: [...learners, {kind, ties, bias}].slice(0, 4)});
  }

  removeLearner(i) {
    if (this.state.learners.length > 1) this.change({learners: this.state.learners.filter((_, j) => j !== i)});
  }

  // Changes of the points: drawn at once, learned from as soon as the answer comes.

  editRows(edit, {keep = false} = {}) {
    if (!this.editable) return;
    const {points} = this;
    const rows = points.rows.map(([x, y], i) => [x, y, points.classes[points.labels[i]]]);
    edit(rows);
    const data = {columns: points.columns, rows};
    if (!keep) this.remember();
    this.state.data = data;
    this.setPoints(this.localPoints(data));
    this.stale = true;
    this.growBox();
    this.stage.fillHands();
    this.redraw();
    this.run();
  }

  addPoint(x, y) {
    const label = this.marks[this.brush].label;
    this.selected = this.points.rows.length;
    this.editRows((rows) => rows.push([x, y, label]));
    this.pointTable.fill();
    this.say(`Added point ${this.points.rows.length}, class ${this.marks[this.brush].name}.`);
  }

  movePoint(row, x, y, {first = true} = {}) {
    if (this.points.rows[row]) this.editRows((rows) => {
      rows[row] = [x, y, rows[row][2]];
    }, {keep: !first});
  }

  recolour(row, place) {
    if (!this.points.rows[row] || !this.marks[place]) return;
    const {label, name} = this.marks[place];
    this.editRows((rows) => {
      rows[row] = [rows[row][0], rows[row][1], label];
    });
    this.say(`Point ${row + 1} is now of class ${name}.`);
  }

  removePoint(row) {
    this.selected = null;
    // The class of the last point of it stays at hand.
    (this.newClasses ??= new Set()).add(this.points.classes[this.points.labels[row]]);
    this.editRows((rows) => rows.splice(row, 1));
    this.pointTable.fill();
    this.say(`Removed point ${row + 1}.`);
  }

  addClass(name) {
    if (!this.points.classes.includes(name)) {
      (this.newClasses ??= new Set()).add(name);
      this.setPoints({...this.points, classes: [...this.points.classes, name]});
    }
    this.brushWith(this.points.classes.indexOf(name));
  }

  brushWith(place) {
    this.brush = place;
    this.stage.fillHands();
    this.say(`New points are of class ${this.marks[place].name}.`);
    this.redraw();
  }

  select(row) {
    this.selected = row;
    this.stage.fillHands();
    this.redraw();
  }

  // How it looks.

  get isDark() {
    return this.lookGiven ? this.lookGiven === "dark" : this.dark.matches;
  }

  get look() {
    return this.isDark ? LOOKS.dark : LOOKS.light;
  }

  get textSize() {
    return (Number.parseFloat(getComputedStyle(this.root).fontSize) || 16) * 0.72;
  }

  switchLook() {
    this.lookGiven = this.isDark ? "light" : "dark";
    this.wear();
  }

  switchSize() {
    const large = this.root.classList.toggle("projector");
    this.sizeButton.setAttribute("aria-pressed", String(large));
    this.wear();
  }

  wear() {
    for (const node of [this.root, ...(this.address ? [document.body] : [])]) {
      node.classList.toggle("dark", this.isDark);
      node.classList.toggle("light", !this.isDark);
    }
    setText(this.lookButton, this.isDark ? "Light" : "Dark");
    if (this.answerNumber) this.refresh();
  }
}

export function mount(root, given) {
  const studio = new Studio(root, given);
  studio.ready = studio.start();
  return studio;
}
