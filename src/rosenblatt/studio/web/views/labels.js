// Words beside what they name, where nothing else is: points, arrows and other words.

// Half the width and half the height of words.
function sizeOf(words, size) {
	return [words.length * size * 0.31, size * 0.55];
}

export class Labels {
	constructor(frame, rows, reach) {
		this.frame = frame;
		this.marks = rows.map((row, i) => [...frame.at(row), reach(i), reach(i)]);
		this.written = [];
	}

	// Words keep off an arrow as they do off a row of small points.
	avoid(from, to) {
		const n = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 6);
		for (let i = 0; i <= n; i += 1) {
			const along = (axis) => from[axis] + ((to[axis] - from[axis]) * i) / n;
			this.marks.push([along(0), along(1), 2, 2]);
		}
	}

	isFree(box, taken) {
		const [x, y, w, h] = box;
		return taken.every(([a, b, v, g]) => Math.abs(a - x) >= w + v || Math.abs(b - y) >= h + g);
	}

	isInside([x, y, w, h]) {
		const {left, top, inner} = this.frame;
		return x - w >= left && y - h >= top && x + w <= left + inner[0] && y + h <= top + inner[1];
	}

	// At the first of these middles with room; words that must be seen may cover points and lines
	// where there is none, but never other words.
	write(pen, words, middles, style, {must = false} = {}) {
		const size = sizeOf(words, style.size);
		const boxes = middles.map((middle) => [...middle, ...size]);
		const apart = boxes.filter((box) => this.isFree(box, this.written));
		const seen = apart.filter((box) => this.isInside(box));
		const free = seen.find((box) => this.isFree(box, this.marks));
		const box = free ?? (must ? (seen[0] ?? apart[0]) : null);
		if (!box) return;
		this.written.push(box);
		pen.text(box[0], box[1], words, style);
	}

	// Middles beside an arrow, on either side of it, first where it is half-way.
	beside(words, size, from, to, shares = [0.5, 0.35, 0.65, 0.2, 0.8]) {
		const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
		const length = Math.hypot(dx, dy) || 1;
		const [nx, ny] = [-dy / length, dx / length];
		const [w, h] = sizeOf(words, size);
		const off = Math.abs(nx) * w + Math.abs(ny) * h + 5;
		return shares.flatMap((share) =>
			[1, -1].map((side) => [
				from[0] + share * dx + side * off * nx,
				from[1] + share * dy + side * off * ny,
			]),
		);
	}

	// Middles behind the tip of an arrow, then beside it.
	behind(words, size, from, to) {
		const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
		const length = Math.hypot(dx, dy) || 1;
		const [w, h] = sizeOf(words, size);
		const off = (Math.abs(dx) * w + Math.abs(dy) * h) / length + 5;
		const tip = [to[0] + (off * dx) / length, to[1] + (off * dy) / length];
		return [tip, ...this.beside(words, size, from, to, [0.95, 0.8, 0.6])];
	}
}
