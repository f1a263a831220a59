// The two directions in which rows spread most: eigenvectors of their covariance, by Jacobi's
// rotations.

const SWEEPS = 60;

function covarianceOf(columns) {
	const [d, n] = [columns.length, columns[0].length];
	return Array.from({length: d}, (_, i) =>
		Float64Array.from({length: d}, (__, j) => {
			let sum = 0;
			for (let r = 0; r < n; r++) sum += columns[i][r] * columns[j][r];
			return sum / n;
		}),
	);
}

// Eigenvalues and, in rows, eigenvectors of a symmetric matrix, which is overwritten.
function eigen(A) {
	const d = A.length;
	const V = A.map((_, i) => Float64Array.from({length: d}, (__, j) => Number(i === j)));
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		let [off, on] = [0, 0];
		for (let i = 0; i < d; i++) {
			on += A[i][i] ** 2;
			for (let j = 0; j < i; j++) off += A[i][j] ** 2;
		}
		if (off <= 1e-32 * on) break;
		for (let p = 0; p < d; p++) for (let q = p + 1; q < d; q++) rotate(A, V, p, q);
	}
	return {values: A.map((row, i) => row[i]), vectors: V};
}

// Turn two axes so that the matrix has a 0 where they meet.
function rotate(A, V, p, q) {
	if (A[p][q] === 0) return;
	const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
	const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(1, theta));
	const c = 1 / Math.hypot(1, t);
	const s = t * c;
	const turn = (one, other, i, j) => {
		[one[i], other[j]] = [c * one[i] - s * other[j], s * one[i] + c * other[j]];
	};
	for (let i = 0; i < A.length; i++) turn(A[i], A[i], p, q);
	for (let i = 0; i < A.length; i++) turn(A[p], A[q], i, i);
	for (let i = 0; i < A.length; i++) turn(V[p], V[q], i, i);
}

// The rows, given as columns around their means, seen along both directions; and the share of all
// spread that they hold. The largest part of a direction is positive.
export function principal(columns) {
	const {values, vectors} = eigen(covarianceOf(columns));
	const order = values.map((_, i) => i).sort((i, j) => values[j] - values[i]);
	const directions = order.slice(0, 2).map((i) => {
		const size = Math.max(...vectors[i].map(Math.abs));
		const sign = Math.sign(vectors[i].find((part) => Math.abs(part) > size * (1 - 1e-9)));
		return vectors[i].map((part) => sign * part);
	});
	const along = directions.map((direction) =>
		columns[0].map((_, r) => columns.reduce((sum, column, j) => sum + direction[j] * column[r], 0)),
	);
	const total = values.reduce((sum, value) => sum + value, 0);
	const held = values[order[0]] + values[order[1]];
	return {along, directions, share: total > 0 ? held / total : 1};
}
