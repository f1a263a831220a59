// Lines, polygons and boxes of the plane.

const LINE_FITS = 1e-12;

// Where the edge between two points crosses the zero of a function with these values there.
function crossing(p, q, fp, fq) {
	const s = fp / (fp - fq);
	return [p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])];
}

// The edges of a polygon, each with the values of a·x + b·y + c at its ends.
function edges(polygon, [a, b, c]) {
	const values = polygon.map(([x, y]) => a * x + b * y + c);
	return polygon.map((p, i) => {
		const next = (i + 1) % polygon.length;
		return [p, polygon[next], values[i], values[next]];
	});
}

export function boxCorners([x0, x1, y0, y1]) {
	return [
		[x0, y0],
		[x1, y0],
		[x1, y1],
		[x0, y1],
	];
}

// The smallest box with these points, and with those of another box, in it.
export function boundsOf(points, box = [Infinity, -Infinity, Infinity, -Infinity]) {
	let [x0, x1, y0, y1] = box;
	for (const [x, y] of points) {
		[x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
	}
	return [x0, x1, y0, y1];
}

// The part of the line a·x + b·y + c = 0 inside a box, as two ends, or null.
export function segmentInBox(line, box) {
	const [[a, b, c], [x0, x1, y0, y1]] = [line, box];
	const size = Math.abs(a) * (x1 - x0) + Math.abs(b) * (y1 - y0);
	if (!(size > LINE_FITS * (1e-300 + Math.abs(c))) || !Number.isFinite(size + c)) return null;
	const found = [];
	for (const [p, q, fp, fq] of edges(boxCorners(box), line)) {
		if (fp === 0) found.push(p);
		else if (fp * fq < 0) found.push(crossing(p, q, fp, fq));
	}
	if (found.length < 2) return null;
	const ends = [found[0], found.at(-1)];
	if (found.length > 2 && Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]) === 0)
		ends[1] = found[1];
	return ends;
}

// A convex polygon cut down to where a·x + b·y + c ≥ 0.
export function clipPolygon(polygon, line) {
	const kept = [];
	for (const [p, q, fp, fq] of edges(polygon, line)) {
		if (fp >= 0) kept.push(p);
		if ((fp > 0 && fq < 0) || (fp < 0 && fq > 0)) kept.push(crossing(p, q, fp, fq));
	}
	return kept;
}

// A box with some room around the rows; the origin is inside where it is not far away.
export function boxAround(rows) {
	if (!rows.length) return [-3, 3, -3, 3];
	const [x0, x1, y0, y1] = boundsOf(rows);
	const widened = (low, high) => {
		const span = high - low;
		if (low > 0 && (low < 0.4 * span || !span)) low = 0;
		if (high < 0 && (-high < 0.4 * span || !span)) high = 0;
		const room = high > low ? 0.14 * (high - low) : Math.max(1, Math.abs(high) * 0.5);
		return [low - room, high + room];
	};
	return [...widened(x0, x1), ...widened(y0, y1)];
}
