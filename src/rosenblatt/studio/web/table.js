// The same as the pictures, in numbers: a table of all updates, and one of all points.
import {button, choice, el, numberBox, setText} from "./dom.js";
import {markIcon} from "./look.js";
import {figure} from "./words.js";

const PAGE = 50;

function weightNames(studio, run) {
  const {features} = studio.answer.data;
  const bias = run.learner.bias !== false;
  const one = features.map((name) => `w[${name}]`).concat(bias ? ["b"] : []);
  if (run.vectors <= 1) return run.vectors ? one : [];
  return studio.marks.flatMap((mark) => one.map((name) => `${name}${mark.letter}`));
}

function weightValues(ledger, k) {
  const {run} = ledger;
  const bias = run.learner.bias !== false;
  return Array.from({length: run.vectors}, (_, place) => {
    const weights = ledger.weights(k, place);
    return bias ? weights : weights.slice(0, -1);
  }).flat();
}

function updateCells(studio, ledger, k) {
  const update = ledger.update(k);
  const {marks, answer} = studio;
  if (!update) return ["0", "", "", "", "", "", "", "", ...weightValues(ledger, 0).map((value) => figure(value))];
  const scores = Array.isArray(update.score) ? update.score.map((s) => figure(s)).join(" ") : figure(update.score);
  return [String(k), String(update.epoch), String(update.t), String(update.row + 1), answer.data.rows[update.row].map((v) => figure(v)).join(", "),
    marks[update.right].name, scores, figure(update.step), ...weightValues(ledger, k).map((value) => figure(value))];
}

export class UpdateTable {
  constructor(studio) {
    this.studio = studio;
    this.page = 0;
    this.drawn = null;
    this.caption = el("caption", {});
    this.head = el("thead");
    this.body = el("tbody");
    this.where = el("span", {class: "where"});
    this.earlier = button("Earlier updates", () => this.turn(-1));
    this.later = button("Later updates", () => this.turn(1));
    this.said = el("span", {class: "quiet", role: "status"});
    this.node = el("div", {class: "table-view"},
      el("div", {class: "row"}, this.earlier, this.where, this.later, button("Copy the whole table", () => this.copy()), this.said),
      el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of updates"}, el("table", {}, this.caption, this.head, this.body)));
  }

  turn(way) {
    this.page = Math.max(0, Math.min(this.pages - 1, this.page + way));
    this.fill();
  }

  get pages() {
    return Math.floor(this.studio.ledger.length / PAGE) + 1;
  }

  // Shows the page with the current update.
  follow() {
    if (!this.studio.ledger) return;
    this.page = Math.floor(this.studio.ledger.clip(this.studio.at) / PAGE);
    this.fill();
  }

  fill() {
    const {studio} = this;
    const {ledger} = studio;
    const {run} = ledger;
    const key = [studio.answerNumber, studio.shown, this.page].join();
    if (key !== this.drawn) {
      this.drawn = key;
      const names = ["update", "epoch", "example", "point", `(${studio.answer.data.columns.join(", ")})`, "class", "score before", "step", ...weightNames(studio, run)];
      this.head.replaceChildren(el("tr", {}, names.map((name) => el("th", {scope: "col"}, name))));
      const first = this.page * PAGE;
      const last = Math.min(ledger.length, first + PAGE - 1);
      const rows = [];
      for (let k = first; k <= last; k += 1) {
        const [number, ...cells] = updateCells(studio, ledger, k);
        const go = button(number, () => studio.goTo(k), {class: "link", "aria-label": `Go to update ${k}`});
        rows.push(el("tr", {}, el("th", {scope: "row"}, go), cells.map((cell) => el("td", {}, cell))));
      }
      this.body.replaceChildren(...rows);
      setText(this.caption, `${studio.runTitle(studio.shown)}: the weights after each update (0 is the start).`);
      setText(this.where, `${first} to ${last} of ${ledger.length}`);
      this.earlier.disabled = this.page === 0;
      this.later.disabled = this.page >= this.pages - 1;
    }
    const now = ledger.clip(studio.at) - this.page * PAGE;
    this.body.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = this.body.children[now];
    if (row) {
      row.setAttribute("aria-current", "step");
      const box = this.body.closest(".scroll");
      if (row.offsetTop < box.scrollTop || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
  }

  async copy() {
    const {ledger} = this.studio;
    const lines = [Array.from(this.head.querySelectorAll("th"), (cell) => cell.textContent).join("\t")];
    for (let k = 0; k <= ledger.length; k += 1) lines.push(updateCells(this.studio, ledger, k).join("\t"));
    try {
      await navigator.clipboard.writeText(lines.join("\n"));
      setText(this.said, "Copied.");
    } catch {
      setText(this.said, "The browser did not allow copying; use Export, CSV.");
    }
  }
}

export class PointTable {
  constructor(studio) {
    this.studio = studio;
    this.page = 0;
    this.body = el("tbody");
    this.head = el("thead");
    this.where = el("span", {class: "where"});
    this.earlier = button("Earlier points", () => this.turn(-1));
    this.later = button("Later points", () => this.turn(1));
    this.pager = el("div", {class: "row"}, this.earlier, this.where, this.later);
    this.summary = el("summary", {}, "Points");
    this.node = el("details", {class: "card points"}, this.summary,
      el("p", {class: "quiet"}, "The same points as in the plane. α is how often a point was used so far, in the learner shown."),
      this.pager,
      el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of points"}, el("table", {}, this.head, this.body)),
      el("div", {class: "row"}, button("Add a point", () => this.add(), {class: "edit"})));
    this.node.addEventListener("toggle", () => this.fill());
  }

  turn(way) {
    this.page += way;
    this.fill();
  }

  add() {
    const {studio} = this;
    const [x0, x1, y0, y1] = studio.box;
    studio.addPoint((x0 + x1) / 2, (y0 + y1) / 2);
    this.page = Infinity;
    this.fill();
    this.body.lastElementChild?.querySelector("input")?.focus();
  }

  fill() {
    const {studio} = this;
    const {points} = studio;
    setText(this.summary, `Points (${points.rows.length})`);
    if (!this.node.open) return;
    const {marks, look, editable} = studio;
    const last = Math.max(0, Math.ceil(points.rows.length / PAGE) - 1);
    this.page = Math.max(0, Math.min(last, this.page));
    this.pager.hidden = last === 0;
    this.earlier.disabled = this.page === 0;
    this.later.disabled = this.page === last;
    const first = this.page * PAGE;
    const end = Math.min(points.rows.length, first + PAGE);
    setText(this.where, `${first + 1} to ${end} of ${points.rows.length}`);
    this.head.replaceChildren(el("tr", {}, ["point", ...points.columns, "class", "α", ...(editable ? [""] : [])]
      .map((name) => (name ? el("th", {scope: "col"}, name) : el("td", {})))));
    const focused = document.activeElement?.dataset?.cell;
    const rows = [];
    for (let i = first; i < end; i += 1) {
      const [x, y] = points.rows[i];
      const mark = marks[points.labels[i]];
      const name = `point ${i + 1}`;
      const cells = editable ? [
        numberBox(x, (value) => studio.movePoint(i, value, points.rows[i][1]), {"aria-label": `${points.columns[0]} of ${name}`, "data-cell": `${i}x`}),
        numberBox(y, (value) => studio.movePoint(i, points.rows[i][0], value), {"aria-label": `${points.columns[1]} of ${name}`, "data-cell": `${i}y`}),
        choice(marks.map((one) => [String(one.place), one.name]), String(mark.place), (place) => studio.recolour(i, Number(place)), {"aria-label": `class of ${name}`, "data-cell": `${i}c`}),
      ] : [figure(x), figure(y), mark.name];
      const tail = editable ? [el("td", {}, button("Delete", () => studio.removePoint(i), {"aria-label": `Delete ${name}`, class: "small", "data-cell": `${i}d`}))] : [];
      rows.push(el("tr", {}, el("th", {scope: "row"}, markIcon(mark, look), ` ${i + 1}`), cells.map((cell) => el("td", {}, cell)), el("td", {class: "uses"}), tail));
    }
    this.body.replaceChildren(...rows);
    if (focused) (this.body.querySelector(`[data-cell="${focused}"]`) ?? this.body.lastElementChild?.querySelector("button"))?.focus();
    this.count();
  }

  count() {
    const {ledger, at} = this.studio;
    if (!this.node.open) return;
    const uses = ledger ? ledger.duals(at).uses : null;
    Array.from(this.body.children).forEach((row, i) => setText(row.querySelector(".uses"), uses ? String(uses[this.page * PAGE + i] ?? 0) : "–"));
  }
}
