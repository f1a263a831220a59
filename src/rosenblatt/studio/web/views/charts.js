// The two curves of the proof, and the mistakes of each epoch.
import {clamped} from "../engine/numbers.js";
import {Frame} from "./frame.js";
import {inked, line, rectangle} from "./pen.js";

// Where the proof puts u·w and ‖w‖ after k updates of a perceptron.
export function proofBounds(run, k) {
	const {u_dot_w: along, norm, margin, radius} = run.proof;
	const eta = run.learner.eta0;
	return {
		low: along[0] + k * eta * margin,
		high: Math.sqrt(norm[0] ** 2 + k * (eta * radius) ** 2),
	};
}

export function fromZero(run) {
	return run.proof.norm[0] === 0;
}

function sampled(length, most, read) {
	const stride = Math.max(1, Math.ceil(length / most));
	const points = [];
	for (let k = 0; k <= length; k += stride) points.push([k, read(k)]);
	if (length % stride) points.push([length, read(length)]);
	return points;
}

export function proofFrame(width, height, run, textSize) {
	const last = run.proof.norm.length - 1;
	let [low, high] = [0, 0.001];
	for (const value of run.proof.u_dot_w) low = Math.min(low, value);
	for (const value of run.proof.norm) high = Math.max(high, value);
	// The upper curve may run far above the others; it is cut rather than the others flattened.
	if (run.proof.applies) high = Math.max(high, Math.min(proofBounds(run, last).high, 2.2 * high));
	const side = {left: 3.2 * textSize, right: 3.6 * textSize, top: 8, bottom: 1.7 * textSize};
	return new Frame(width, height, [0, Math.max(1, last), low, high * 1.06], {side});
}

export function drawProof(pen, frame, run, theme, textSize) {
	const last = run.proof.norm.length - 1;
	frame.drawAxes(pen, theme, ["updates k", ""], textSize, {grid: false});
	const most = frame.inner[0];
	const curve = (read, style) =>
		frame.clipTo(pen, () => frame.path(pen, sampled(last, most, read), style));
	const names = [];
	const named = (name, read, style) => {
		curve(read, style);
		names.push([read(last), name, style.stroke]);
	};
	if (run.proof.applies) {
		const plain = run.learner.eta0 === 1 && fromZero(run);
		const bound = {stroke: theme.alarm, width: 1.5};
		const [above, below] = plain ? ["√k·R", "k·γ"] : ["above", "below"];
		named(above, (k) => proofBounds(run, k).high, {...bound, dash: [6, 4]});
		named(below, (k) => proofBounds(run, k).low, {...bound, dash: [2, 3]});
	}
	named("‖w‖", (k) => run.proof.norm[k], {stroke: theme.ink, width: 2});
	named("u·w", (k) => run.proof.u_dot_w[k], {stroke: theme.palette[0], width: 2});
	const right = frame.left + frame.inner[0] + 4;
	let above = -Infinity;
	const [top, bottom] = [frame.top + 4, frame.top + frame.inner[1] - 2];
	const placed = names
		.map(([value, name, fill]) => [Math.min(bottom, Math.max(top, frame.y(value))), name, fill])
		.sort((p, q) => p[0] - q[0]);
	for (const [y, name, fill] of placed) {
		above = Math.max(y, above + textSize + 1);
		pen.text(right, above, name, {fill, size: textSize, middle: true});
	}
}

export function drawProofPosition(pen, frame, run, k, theme) {
	const at = clamped(k, 0, run.proof.norm.length - 1);
	const style = {stroke: theme.faint, width: 1};
	line(pen, [frame.x(at), frame.top], [frame.x(at), frame.top + frame.inner[1]], style);
	const dot = (values, fill) =>
		pen.circle(frame.x(at), frame.y(values[at]), 4, {fill, stroke: theme.paper, width: 1.5});
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
