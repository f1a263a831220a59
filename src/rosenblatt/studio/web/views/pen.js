// Two pens with the same strokes: one draws on a canvas, the other writes SVG.
import {boxCorners} from "../engine/geometry.js";

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

export class CanvasPen {
	constructor(context) {
		this.context = context;
	}

	finish({fill, stroke, width = 1, dash, alpha = 1}) {
		const {context} = this;
		context.globalAlpha = alpha;
		if (fill) {
			context.fillStyle = fill;
			context.fill();
		}
		if (stroke) {
			context.strokeStyle = stroke;
			context.lineWidth = width;
			context.setLineDash(dash ?? []);
			context.stroke();
		}
		context.globalAlpha = 1;
	}

	trace(points) {
		for (let i = 0; i < points.length; i += 1) {
			if (i) this.context.lineTo(points[i][0], points[i][1]);
			else this.context.moveTo(points[i][0], points[i][1]);
		}
	}

	path(points, style) {
		const {context} = this;
		context.lineJoin = "round";
		context.beginPath();
		this.trace(points);
		if (style.close) context.closePath();
		this.finish(style);
	}

	// Many lines of one look, in one go.
	strokes(lines, style) {
		this.context.beginPath();
		for (const points of lines) this.trace(points);
		this.finish(style);
	}

	// Several closed rings of one area; a ring within a ring is a hole.
	rings(rings, style) {
		const {context} = this;
		context.beginPath();
		for (const ring of rings) {
			this.trace(ring);
			context.closePath();
		}
		context.fillStyle = style.fill;
		context.fill("evenodd");
	}

	circle(x, y, radius, style) {
		this.context.beginPath();
		this.context.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
		this.finish(style);
	}

	text(x, y, words, {fill, size = 12, align = "left", middle = false, bold = false, halo = null}) {
		const {context} = this;
		context.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
		context.textAlign = align;
		context.textBaseline = middle ? "middle" : "alphabetic";
		if (halo) {
			context.strokeStyle = halo;
			context.lineWidth = 4;
			context.setLineDash([]);
			context.lineJoin = "round";
			context.strokeText(words, x, y);
		}
		context.fillStyle = fill;
		context.fillText(words, x, y);
	}

	within(x, y, width, height, draw) {
		const {context} = this;
		context.save();
		context.beginPath();
		context.rect(x, y, width, height);
		context.clip();
		draw();
		context.restore();
	}

	shifted(x, y, draw) {
		this.context.save();
		this.context.translate(x, y);
		draw();
		this.context.restore();
	}
}

function escaped(text) {
	// XML has no room for control characters, even escaped ones.
	return Array.from(text, (letter) => {
		const code = letter.codePointAt(0);
		if (code < 32 || (code >= 0xd800 && code < 0xe000)) return "�";
		return {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}[letter] ?? letter;
	}).join("");
}

function short(number) {
	return String(Math.round(number * 100) / 100);
}

export class SvgPen {
	constructor(width, height, paper) {
		this.size = [width, height];
		this.parts = [];
		this.clips = 0;
		rectangle(this, [0, 0], [width, height], {fill: paper});
	}

	styled({fill, stroke, width = 1, dash, alpha = 1}) {
		let words = ` fill="${fill ?? "none"}"`;
		if (stroke)
			words += ` stroke="${stroke}" stroke-width="${short(width)}" stroke-linejoin="round"`;
		if (stroke && dash) words += ` stroke-dasharray="${dash.join(" ")}"`;
		if (alpha !== 1) words += ` opacity="${alpha}"`;
		return words;
	}

	path(points, style) {
		const tag = style.close ? "polygon" : "polyline";
		const places = points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ");
		this.parts.push(`<${tag} points="${places}"${this.styled(style)}/>`);
	}

	ways(lines, end) {
		const way = (points) => points.map(([x, y]) => `${short(x)} ${short(y)}`).join("L");
		return lines.map((points) => `M${way(points)}${end}`).join("");
	}

	strokes(lines, style) {
		if (lines.length) this.parts.push(`<path d="${this.ways(lines, "")}"${this.styled(style)}/>`);
	}

	rings(rings, style) {
		const words = this.ways(rings, "Z");
		this.parts.push(`<path d="${words}" fill="${style.fill}" fill-rule="evenodd"/>`);
	}

	circle(x, y, radius, style) {
		const r = short(Math.max(0, radius));
		this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${r}"${this.styled(style)}/>`);
	}

	text(x, y, words, {fill, size = 12, align = "left", middle = false, bold = false, halo = null}) {
		const anchor = {left: "start", center: "middle", right: "end"}[align];
		const edge = halo
			? ` stroke="${halo}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`
			: "";
		const place = `x="${short(x)}" y="${short(middle ? y + size * 0.36 : y)}"`;
		const font = `font-size="${short(size)}" text-anchor="${anchor}" fill="${fill}"`;
		const weight = bold ? ' font-weight="600"' : "";
		this.parts.push(`<text ${place} ${font}${weight}${edge}>${escaped(words)}</text>`);
	}

	within(x, y, width, height, draw) {
		this.clips += 1;
		const name = `part${this.clips}`;
		const size = `width="${short(width)}" height="${short(height)}"`;
		const rect = `<rect x="${short(x)}" y="${short(y)}" ${size}/>`;
		this.parts.push(`<clipPath id="${name}">${rect}</clipPath><g clip-path="url(#${name})">`);
		draw();
		this.parts.push("</g>");
	}

	shifted(x, y, draw) {
		this.parts.push(`<g transform="translate(${short(x)} ${short(y)})">`);
		draw();
		this.parts.push("</g>");
	}

	finished(title) {
		const [width, height] = this.size;
		const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
		const given = `${size} role="img" font-family="${FONT}"`;
		const head = `<svg xmlns="http://www.w3.org/2000/svg" ${given}>`;
		return `${head}<title>${escaped(title)}</title>${this.parts.join("")}</svg>`;
	}
}

// A pen on a canvas of so many points of the page, whatever the pixels of the screen are.
export function penFor(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	[canvas.width, canvas.height] = [width * ratio, height * ratio];
	const context = canvas.getContext("2d");
	context.scale(ratio, ratio);
	return new CanvasPen(context);
}

// Words in ink, with a rim of paper that keeps them apart from lines.
export function inked(theme, size, more = {}) {
	return {fill: theme.ink, size, halo: theme.paper, ...more};
}

// Words whose middle is the place they are written at.
export const CENTRED = {align: "center", middle: true, bold: true};

export function line(pen, from, to, style) {
	pen.path([from, to], style);
}

export function rectangle(pen, [x0, y0], [x1, y1], style) {
	pen.path(boxCorners([x0, x1, y0, y1]), {...style, close: true});
}

export function arrow(pen, from, to, style) {
	const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
	const length = Math.hypot(dx, dy);
	if (length < 1) return;
	const head = Math.min(9, length * 0.6);
	const [ux, uy] = [dx / length, dy / length];
	const [x, y] = [to[0] - head * ux, to[1] - head * uy];
	const [across, up] = [0.5 * head * uy, 0.5 * head * ux];
	pen.path([from, [x, y]], style);
	const sides = [to, [x - across, y + up], [x + across, y - up]];
	pen.path(sides, {fill: style.stroke, close: true});
}
