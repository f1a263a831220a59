// The two curves of the proof, and the mistakes of each epoch.
import {clamped, figure} from "../engine/numbers.js";
import {Frame} from "./frame.js";
import {inked, line, rectangle} from "./pen.js";

// Where the proof puts u·w and ‖w‖ after k updates of a perceptron; of several classes after the
// last tie, at which one was raised alone.
export function proofBounds(run, k) {
	const {u_dot_w: along, norm, margin, radius, since} = run.proof;
	const [eta, more] = [run.learner.eta0, k - since];
	return {
		low: along[since] + more * eta * margin,
		high: Math.sqrt(norm[since] ** 2 + more * (eta * radius) ** 2),
	};
}

export function fromZero(run) {
	return run.proof.norm[0] === 0 && !run.proof.since;
}

// At which k curves are drawn: evenly, or where powers of ten are, by the scale.
function sampled(scale, first, last, most, read) {
	const n = Math.min(most, Math.max(1, Math.ceil(last - first)));
	const at = (i) =>
		scale.log ? first * (last / first) ** (i / n) : first + (i * (last - first)) / n;
	return Array.from({length: n + 1}, (_, i) => [at(i), read(at(i))]);
}

// The curves go on to where the two bounds meet. Where that is far away, both axes are those of
// logarithms, as in the library's own pictures.
const LOG_FROM = 12;

export function proofFrame(width, height, run, textSize) {
	const {applies, bound, norm, since, u_dot_w: along} = run.proof;
	const made = norm.length - 1;
	const last = Math.max(1, applies && bound ? bound : made, made);
	const side = {left: 3.4 * textSize, right: 3.6 * textSize, top: 8, bottom: 1.7 * textSize};
	const log = Boolean(applies && norm[0] === 0 && made && last > LOG_FROM * made);
	const scale = {
		log,
		last,
		first: Math.max(since, log ? 1 : 0),
		k: (k) => (log ? Math.log10(Math.max(1, k)) : k),
	};
	scale.y = (value) => (log ? Math.log10(Math.max(value, 1e-300)) : value);
	let [low, high] = [log ? Infinity : 0, 0.001];
	for (let k = log ? 1 : 0; k <= made; k++) {
		[low, high] = [Math.min(low, along[k]), Math.max(high, norm[k])];
	}
	if (applies) {
		high = Math.max(high, proofBounds(run, last).high);
		low = Math.min(low, proofBounds(run, scale.first).low);
	}
	const box = log
		? [0, scale.k(last) * 1.04, scale.y(low) - 0.1, scale.y(high) + 0.1]
		: [0, last * (last > made ? 1.04 : 1), low, high * 1.06];
	return Object.assign(new Frame(width, height, box, {side}), {axes: scale});
}

export function drawProof(pen, frame, run, theme, textSize) {
	const {axes: scale} = frame;
	const made = run.proof.norm.length - 1;
	const power = (value) => (Number.isInteger(value) ? figure(10 ** value) : "");
	const label = scale.log ? power : figure;
	const labels = [label, label];
	frame.drawAxes(pen, theme, ["updates k", ""], textSize, {grid: false, labels});
	const most = frame.inner[0];
	const names = [];
	const named = (name, read, style, first, last) => {
		const sample = sampled(scale, first, last, most, read);
		const points = sample.map(([k, v]) => [scale.k(k), scale.y(v)]);
		frame.clipTo(pen, () => frame.path(pen, points, style));
		names.push([scale.y(read(last)), name, style.stroke, last]);
	};
	const runAt = (values) => (k) => values[Math.round(k)];
	if (run.proof.applies) {
		const plain = run.learner.eta0 === 1 && fromZero(run);
		const bound = {stroke: theme.alarm, width: 1.5};
		const [above, below] = plain ? ["√k·R", "k·γ"] : ["above", "below"];
		named(
			above,
			(k) => proofBounds(run, k).high,
			{...bound, dash: [6, 4]},
			scale.first,
			scale.last,
		);
		named(below, (k) => proofBounds(run, k).low, {...bound, dash: [2, 3]}, scale.first, scale.last);
		if (scale.last > made) {
			const meets = [scale.k(scale.last), scale.y(proofBounds(run, scale.last).high)];
			pen.circle(...frame.at(meets), 5, {stroke: theme.alarm, width: 2, fill: theme.paper});
		}
	}
	const begins = scale.log ? 1 : 0;
	named("‖w‖", runAt(run.proof.norm), {stroke: theme.ink, width: 2}, begins, made);
	named("u·w", runAt(run.proof.u_dot_w), {stroke: theme.palette[0], width: 2}, begins, made);
	const right = frame.left + frame.inner[0] + 4;
	const [top, bottom] = [frame.top + 4, frame.top + frame.inner[1] - 2];
	const taken = new Map();
	const placed = names
		.map(([value, name, fill, last]) => {
			const ends = frame.x(scale.k(last)) + 7;
			const x = ends > right - 4 * textSize ? right : ends;
			return [Math.min(bottom, Math.max(top, frame.y(value))), name, fill, x];
		})
		.sort((p, q) => p[0] - q[0]);
	for (const [y, name, fill, x] of placed) {
		const above = Math.max(y, (taken.get(x) ?? -Infinity) + textSize + 1);
		taken.set(x, above);
		pen.text(x, above, name, {...inked(theme, textSize, {middle: true}), fill});
	}
}

export function drawProofPosition(pen, frame, run, k, theme, textSize) {
	const at = clamped(k, 0, run.proof.norm.length - 1);
	const {axes: scale} = frame;
	const x = frame.x(scale.k(at));
	line(pen, [x, frame.top], [x, frame.top + frame.inner[1]], {stroke: theme.faint, width: 1});
	pen.text(x + 4, frame.top + 10, `k = ${at}`, {fill: theme.faint, size: textSize});
	if (scale.log && !at) return;
	const dot = (values, fill) =>
		pen.circle(x, frame.y(scale.y(values[at])), 4, {fill, stroke: theme.paper, width: 1.5});
	dot(run.proof.norm, theme.ink);
	dot(run.proof.u_dot_w, theme.palette[0]);
}

export function drawMistakes(pen, width, height, scene) {
	const {runs, titles, shown, epoch: epochNow, theme, textSize} = scene;
	const epochs = Math.max(1, ...runs.map((run) => run.mistakes_per_epoch.length));
	let most = 1;
	for (const run of runs) for (const count of run.mistakes_per_epoch) most = Math.max(most, count);
	const top = 10 + (runs.length > 1 ? 20 * runs.length : 0);
	const side = {left: 3.8 * textSize, right: 14, top, bottom: 1.9 * textSize};
	const frame = new Frame(width, height, [0.5, epochs + 0.5, 0, most * 1.12], {side});
	frame.drawAxes(pen, theme, ["epoch", "mistakes"], textSize, {zero: false});
	const bottom = frame.y(0);
	const style = inked(theme, textSize, {align: "center"});
	if (runs.length === 1) {
		runs[0].mistakes_per_epoch.forEach((count, i) => {
			const [left, right] = [frame.x(i + 0.6), frame.x(i + 1.4)];
			const fill = i + 1 === epochNow ? theme.ink : theme.palette[0];
			const top = count ? frame.y(count) : bottom - 2;
			rectangle(pen, [left, bottom], [Math.max(left + 1, right), top], {fill});
			if (epochs <= 24) pen.text((left + right) / 2, top - 4, String(count), style);
		});
	} else {
		runs.forEach((run, place) => {
			const stroke = theme.palette[place];
			const dash = [null, [8, 4], [2, 3], [10, 3, 2, 3]][place];
			const points = run.mistakes_per_epoch.map((count, i) => frame.at([i + 1, count]));
			pen.path(points, {stroke, width: place === shown ? 3.5 : 2, dash});
			if (epochs <= 60) for (const point of points) pen.circle(...point, 4, {fill: stroke});
			const y = 14 + 20 * place;
			line(pen, [frame.left, y], [frame.left + 34, y], {stroke, width: 3, dash});
			const given = {fill: theme.ink, size: textSize + 1, middle: true, bold: place === shown};
			pen.text(frame.left + 42, y, titles[place], given);
		});
		if (epochNow) {
			const x = frame.x(epochNow);
			line(pen, [x, frame.top], [x, bottom], {stroke: theme.faint, width: 1, dash: [4, 4]});
		}
	}
}
