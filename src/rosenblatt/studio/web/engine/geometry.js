// Lines, polygons and boxes of the plane.

const LINE_FITS = 1e-12;

// The part of the line a·x + b·y + c = 0 inside a box, as two ends, or null.
export function segmentInBox([a, b, c], [x0, x1, y0, y1]) {
	const size = Math.abs(a) * (x1 - x0) + Math.abs(b) * (y1 - y0);
	if (!(size > LINE_FITS * (1e-300 + Math.abs(c))) || !Number.isFinite(size + c)) return null;
	let ends = [
		[x0, y0],
		[x1, y0],
		[x1, y1],
		[x0, y1],
	];
	const found = [];
	for (let i = 0; i < 4; i += 1) {
		const [p, q] = [ends[i], ends[(i + 1) % 4]];
		const [fp, fq] = [a * p[0] + b * p[1] + c, a * q[0] + b * q[1] + c];
		if (fp === 0) found.push(p);
		else if (fp * fq < 0) {
			const s = fp / (fp - fq);
			found.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
		}
	}
	if (found.length < 2) return null;
	ends = [found[0], found.at(-1)];
	if (found.length > 2 && Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]) === 0)
		ends[1] = found[1];
	return ends;
}

// A convex polygon cut down to where a·x + b·y + c ≥ 0.
export function clipPolygon(polygon, [a, b, c]) {
	const kept = [];
	for (let i = 0; i < polygon.length; i += 1) {
		const [p, q] = [polygon[i], polygon[(i + 1) % polygon.length]];
		const [fp, fq] = [a * p[0] + b * p[1] + c, a * q[0] + b * q[1] + c];
		if (fp >= 0) kept.push(p);
		if ((fp > 0 && fq < 0) || (fp < 0 && fq > 0)) {
			const s = fp / (fp - fq);
			kept.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
		}
	}
	return kept;
}

export function boxCorners([x0, x1, y0, y1]) {
	return [
		[x0, y0],
		[x1, y0],
		[x1, y1],
		[x0, y1],
	];
}

// A box with some room around the rows; the origin is inside where it is not far away.
export function boxAround(rows) {
	let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
	for (const [x, y] of rows) {
		[x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
	}
	if (!rows.length) return [-3, 3, -3, 3];
	const widened = (low, high) => {
		const span = high - low;
		if (low > 0 && low < 0.4 * span) low = 0;
		if (high < 0 && -high < 0.4 * span) high = 0;
		const room = high > low ? 0.14 * (high - low) : Math.max(1, Math.abs(high) * 0.5);
		return [low - room, high + room];
	};
	return [...widened(x0, x1), ...widened(y0, y1)];
}
