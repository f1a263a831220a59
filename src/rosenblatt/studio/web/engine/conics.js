// The curve where a quadratic function of the plane is 0, solved along one axis: exact at every
// point that is drawn, at its turns, where two branches cross, and where it leaves the box.

const STEPS = 48;
const TINY = 1e-12;

// Real roots of a t² + b t + c; one that is there twice is given once.
function roots(a, b, c) {
	const size = Math.max(Math.abs(a), Math.abs(b), Math.abs(c));
	if (Math.abs(a) <= TINY * size) return Math.abs(b) <= TINY * size ? [] : [-c / b];
	const inner = b * b - 4 * a * c;
	if (Math.abs(inner) <= TINY * (b * b + Math.abs(4 * a * c))) return [-b / (2 * a)];
	if (inner < 0) return [];
	const q = -(b + (b < 0 ? -1 : 1) * Math.sqrt(inner)) / 2;
	return [q / a, c / q];
}

// The same function of u and v, which go from −1 to 1 across the box; its largest number is 1.
function normalised([a, b, c, d, e, f], [x0, x1, y0, y1]) {
	const [mx, sx, my, sy] = [(x0 + x1) / 2, (x1 - x0) / 2, (y0 + y1) / 2, (y1 - y0) / 2];
	const found = [
		sx * (a + 2 * d * mx + e * my),
		sy * (b + 2 * f * my + e * mx),
		c + a * mx + b * my + d * mx * mx + e * mx * my + f * my * my,
		d * sx * sx,
		e * sx * sy,
		f * sy * sy,
	];
	const size = Math.max(...found.map(Math.abs));
	return found.map((value) => (Math.abs(value) <= TINY * size ? 0 : value / size));
}

// Lines of points from −1 to 1 both ways, where a u + b v + c + d u² + e u v + f v² is 0.
function branches([a, b, c, d, e, f]) {
	const lines = [];
	const inside = (u) => u > -1 && u < 1;
	const special = [-1, 1];
	// Where it crosses the upper and the lower side of the box.
	for (const v of [-1, 1]) special.push(...roots(d, a + e * v, c + b * v + f * v * v));
	let at;
	if (f === 0) {
		const [pole] = e === 0 ? [] : [-b / e];
		const rest = pole === undefined ? 1 : d * pole * pole + a * pole + c;
		const upright = b === 0 && e === 0 ? roots(d, a, c) : Math.abs(rest) <= TINY ? [pole] : [];
		for (const u of upright.filter(inside))
			lines.push([
				[u, -1],
				[u, 1],
			]);
		if (b === 0 && e === 0) return lines;
		if (pole !== undefined) special.push(pole);
		// Without the upright line the curve goes on where that stood.
		at = upright.length
			? (u) => [-(d * u + a + d * pole) / e]
			: (u) => (u === pole ? [] : [-(c + a * u + d * u * u) / (b + e * u)]);
	} else {
		const inner = [e * e - 4 * f * d, 2 * b * e - 4 * f * a, b * b - 4 * f * c];
		const turns = roots(...inner);
		special.push(...turns);
		at = (u) => {
			const under = turns.includes(u) ? 0 : inner[0] * u * u + inner[1] * u + inner[2];
			const found = [-1, 1].map((way) => (-(b + e * u) + way * Math.sqrt(under)) / (2 * f));
			return under < 0 ? [] : found.sort((one, other) => one - other);
		};
	}
	const ends = [...new Set(special.filter((u) => Math.abs(u) <= 1))].sort((p, q) => p - q);
	for (let i = 0; i + 1 < ends.length; i++) {
		const [from, to] = [ends[i], ends[i + 1]];
		const middle = at((from + to) / 2);
		// More points near the ends, where it may be steep.
		const places = Array.from({length: STEPS + 1}, (_, k) =>
			k === STEPS ? to : from + ((to - from) * (1 - Math.cos((Math.PI * k) / STEPS))) / 2,
		);
		middle.forEach((v, branch) => {
			if (Math.abs(v) > 1) return;
			const points = places.flatMap((u) => {
				const found = at(u);
				return found.length > branch ? [[u, Math.max(-1, Math.min(1, found[branch]))]] : [];
			});
			lines.push(points);
		});
	}
	return lines;
}

// Lines of points of the box where a x + b y + c + d x² + e x y + f y² is 0.
export function conic(coefficients, box) {
	const [x0, x1, y0, y1] = box;
	const scaled = normalised(coefficients, box);
	if (!scaled.every(Number.isFinite)) return [];
	const place = (u, low, high) => low + ((u + 1) / 2) * (high - low);
	return branches(scaled).map((line) => line.map(([u, v]) => [place(u, x0, x1), place(v, y0, y1)]));
}
