// What an update did, in words and with the numbers plugged in.
import {bracketed, figure, signed, vector} from "./words.js";

function dotted(w, x) {
  return `${vector(w)}·${vector(x)}`;
}

function squared(x) {
  return x.reduce((sum, value) => sum + value * value, 0);
}

// The step size: its letter, and how its number came about (null where it is the learning rate itself).
function stepWords(learner, update, hasBias, multiclass) {
  const symbol = ["mira", "pa", "soft"].includes(learner.kind) ? "τ" : "η";
  if (symbol === "η") return {symbol, line: null};
  const margin = multiclass ? marginOf(update) : (update.right === 1 ? 1 : -1) * update.score;
  const ys = multiclass ? "m" : "y·s";
  const norm = squared(update.x) + (hasBias ? 1 : 0);
  const length = multiclass ? 2 * norm : norm;
  const lengthName = `${multiclass ? "2" : ""}‖${hasBias ? "(x, 1)" : "x"}‖²`;
  const m = bracketed(margin);
  const step = figure(update.step);
  if (learner.kind === "soft") {
    if (multiclass) return {symbol, line: `τ = η·P(wrong class) = ${step}`};
    return {symbol, line: `τ = η / (1 + e^(${ys})) = ${figure(learner.eta0)} / (1 + e^${m}) = ${step}`};
  }
  if (learner.kind === "pa" && learner.variant === "PA-I") {
    return {symbol, line: `τ = min(C, (1 − ${ys}) / ${lengthName}) = min(${figure(learner.C)}, (1 − ${m}) / ${figure(length)}) = ${step}`};
  }
  if (learner.kind === "pa" && learner.variant === "PA-II") {
    return {symbol, line: `τ = (1 − ${ys}) / (${lengthName} + 1/(2C)) = (1 − ${m}) / (${figure(length)} + ${figure(0.5 / learner.C)}) = ${step}`};
  }
  return {symbol, line: `τ = (1 − ${ys}) / ${lengthName} = (1 − ${m}) / ${figure(length)} = ${step}`};
}

function marginOf(update) {
  const rival = update.wrong >= 0 ? update.score[update.wrong]
    : Math.max(...update.score.filter((_, place) => place !== update.right));
  return update.score[update.right] - rival;
}

function verdict(learner, update, marks, multiclass) {
  const right = marks[update.right].name;
  const kind = learner.kind;
  const margin = multiclass ? marginOf(update) : (update.right === 1 ? 1 : -1) * update.score;
  if (kind === "soft" && multiclass) return `Right is ${right}. The soft rule moves on every point, and each wrong class pays its share; here ${marks[update.wrong]?.name ?? "none"}.`;
  if (kind === "soft" && margin >= 0) return margin ? "Right, but not sure of it: the soft rule moves on every point." : "Undecided; the soft rule moves on every point.";
  // Where a tie is an answer, it is that of the last of the equal classes.
  const winner = multiclass ? update.score.lastIndexOf(Math.max(...update.score)) : Number(update.score >= 0);
  const said = marks[winner].name;
  const wins = learner.ties === "positive";
  if (margin > 0 || (wins && winner === update.right)) return "Right, but by less than the margin asked for, so it moves.";
  if (margin === 0) return wins ? `A ${multiclass ? "tie" : "score of 0"} counts as ${said}; the right answer is ${right}: a mistake.` : `A tie counts as a mistake; the right answer is ${right}.`;
  return `Answered ${said}, right is ${right}: a mistake.`;
}

function movedVector(ledger, update, place, name, way, symbol, multiclass) {
  const before = ledger.weights(update.k - 1, place);
  const after = ledger.weights(update.k, place);
  const [w0, w1] = [before.slice(0, -1), after.slice(0, -1)];
  const step = figure(update.step);
  const line = multiclass
    ? `${name} ← ${name} ${way > 0 ? "+" : "−"} ${symbol}·x = ${vector(w0)} ${way > 0 ? "+" : "−"} ${step}·${vector(update.x)} = ${vector(w1)}`
    : `w ← w + ${symbol}·y·x = ${vector(w0)} + ${step}·(${signed(way)})·${vector(update.x)} = ${vector(w1)}`;
  const [b0, b1] = [before[before.length - 1], after[after.length - 1]];
  const shiftName = multiclass ? name.replace("w", "b") : "b";
  const shift = multiclass
    ? `${shiftName} ← ${shiftName} ${way > 0 ? "+" : "−"} ${symbol} = ${figure(b0)} ${way > 0 ? "+" : "−"} ${step} = ${figure(b1)}`
    : `b ← b + ${symbol}·y = ${figure(b0)} + ${step}·(${signed(way)}) = ${figure(b1)}`;
  return {line, shift, w0, w1, b0, b1, name: multiclass ? name : "w"};
}

function classVector(marks, place) {
  return `w[${marks[place].letter}]`;
}

// Everything the story tells about the update that led to position k; null at the start.
export function tellUpdate(ledger, k, marks) {
  const update = ledger.update(k);
  if (!update) return null;
  const {run} = ledger;
  const {learner} = run;
  const hasBias = learner.bias !== false && run.vectors > 0;
  const multiclass = run.vectors > 1 || Array.isArray(update.score);
  const told = {update, multiclass, verdict: verdict(learner, update, marks, multiclass), lines: [], vectors: []};
  const sign = update.right === 1 ? 1 : -1;
  const {symbol, line} = stepWords(learner, update, hasBias, multiclass);
  if (run.vectors === 0) {
    told.score = multiclass ? update.score.map((s, place) => `${marks[place].letter}: ${figure(s)}`).join(", ")
      : `Σ αᵢ·yᵢ·K(xᵢ, x) = ${figure(update.score)}`;
    const {duals} = ledger.duals(k);
    const now = Math.abs(duals[update.row]);
    const name = `α[point ${update.row + 1}]`;
    told.lines.push([`${name} ← ${name} + η = ${figure(now - update.step)} + ${figure(update.step)} = ${figure(now)}`]);
    return told;
  }
  if (multiclass) {
    told.score = update.score.map((s, place) => `${marks[place].letter}: ${figure(s)}`).join(", ");
    told.vectors.push(movedVector(ledger, update, update.right, classVector(marks, update.right), 1, symbol, true));
    if (update.wrong >= 0) told.vectors.push(movedVector(ledger, update, update.wrong, classVector(marks, update.wrong), -1, symbol, true));
    else told.note = "At a tie no single rival is to blame: only the right class is raised.";
  } else {
    const before = ledger.weights(k - 1);
    const b = before[before.length - 1];
    const plugged = `${dotted(before.slice(0, -1), update.x)}${hasBias ? ` + ${bracketed(b)}` : ""}`;
    told.score = `s = w·x${hasBias ? " + b" : ""} = ${plugged} = ${figure(update.score)}`;
    told.vectors.push(movedVector(ledger, update, 0, "w", sign, symbol, false));
  }
  if (line && multiclass && line.includes(" m)")) told.lines.push([`m = ${figure(marginOf(update))} (right score minus wrong score)`, line]);
  else if (line) told.lines.push([line]);
  for (const moved of told.vectors) told.lines.push(hasBias ? [moved.line, moved.shift] : [moved.line]);
  const mean = ledger.answers(k);
  if (mean && !multiclass) {
    told.note = `It answers with the mean of all w so far: w̄ = ${vector(mean.slice(0, -1))}${hasBias ? `, b̄ = ${figure(mean[mean.length - 1])}` : ""}.`;
  }
  if (learner.kind === "voted" && run.survived) {
    told.note = `The w before this update stood for ${figure(run.survived[k - 1])} example${run.survived[k - 1] === 1 ? "" : "s"}: that many votes.`;
  }
  return told;
}

// The same as one sentence, for the line that is read aloud.
export function sayUpdate(ledger, k, total, marks, data) {
  const told = tellUpdate(ledger, k, marks);
  const start = ledger.weights(0);
  if (!told) return start && ledger.run.vectors === 1 ? `Start: w is ${vector(start.slice(0, -1))}.` : "Start: nothing learned yet.";
  const {update} = told;
  const point = data.rows[update.row];
  const weights = told.vectors.map(({name, w1, b1}) => `${name} is now ${vector(w1)}${ledger.run.learner.bias !== false ? `, b is ${figure(b1)}` : ""}`);
  return `Update ${update.k} of ${total}: point ${update.row + 1} at ${vector(point)}, class ${marks[update.right].name}. ${told.verdict}`
    + (weights.length ? ` ${weights.join("; ")}.` : "");
}
