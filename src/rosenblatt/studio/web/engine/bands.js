// The areas between lines: the box is cut upright at all ends, and each strip by the lines in it.

// Regions of both classes; `sign` says of a point which it is of: above 0, below, or neither.
export function bands(lines, [x0, x1, y0, y1], sign) {
	const pieces = lines.flatMap((line) =>
		line.slice(1).map((q, i) => (line[i][0] <= q[0] ? [line[i], q] : [q, line[i]])),
	);
	const slanted = pieces.filter(([p, q]) => p[0] < q[0]);
	const cuts = [...new Set([x0, x1, ...pieces.flatMap((ends) => ends.map(([x]) => x))])]
		.filter((x) => x >= x0 && x <= x1)
		.sort((p, q) => p - q);
	const rings = [[], []];
	for (let i = 0; i + 1 < cuts.length; i++) {
		const [left, right] = [cuts[i], cuts[i + 1]];
		const height = ([p, q], x) => p[1] + ((x - p[0]) / (q[0] - p[0])) * (q[1] - p[1]);
		const across = slanted
			.filter(([p, q]) => p[0] <= left && q[0] >= right)
			.map((piece) => [height(piece, left), height(piece, right)])
			.sort(([a, b], [c, d]) => a + b - (c + d));
		const floors = [[y0, y0], ...across, [y1, y1]];
		for (let k = 0; k + 1 < floors.length; k++) {
			const [low, high] = [floors[k], floors[k + 1]];
			if (high[0] <= low[0] && high[1] <= low[1]) continue;
			const found = sign([(left + right) / 2, (low[0] + low[1] + high[0] + high[1]) / 4]);
			if (!found) continue;
			rings[found > 0 ? 1 : 0].push([
				[left, low[0]],
				[right, low[1]],
				[right, high[1]],
				[left, high[0]],
			]);
		}
	}
	return rings.flatMap((own, place) => (own.length ? [{class: place, rings: own}] : []));
}
