// Kernels: how alike two rows are, as the library's kernel/functions.py has it.
import {dot} from "./weights.js";

function power(base, degree) {
	if (degree === 1) return base;
	const half = power(base * base, Math.floor(degree / 2));
	return degree % 2 ? half * base : half;
}

// Each of (x·z, ‖x‖², ‖z‖², settings, ‖x − z‖₁).
const KERNELS = {
	linear: (xz) => xz,
	poly: (xz, _, __, {gamma, coef0, degree}) => power(xz * gamma + coef0, degree),
	rbf: (xz, xx, zz, {gamma}) => Math.exp(Math.min(xz * (2 * gamma) - gamma * xx - gamma * zz, 0)),
	laplacian: (_, __, ___, {gamma}, apart) => Math.exp(apart * -gamma),
	sigmoid: (xz, _, __, {gamma, coef0}) => Math.tanh(xz * gamma + coef0),
	cosine: (xz, xx, zz) => xz / (Math.sqrt(xx) || 1) / (Math.sqrt(zz) || 1),
};

// The kernel of a learner as a function of row i of A and row j of B, each with d features.
export function kernelOf({kernel, degree, coef0}, gamma, d) {
	const settings = {degree, coef0, gamma: gamma ?? 1};
	const value = KERNELS[kernel];
	const isApart = kernel === "laplacian";
	return (A, i, B, j) => {
		const [a, b] = [i * d, j * d];
		let apart = 0;
		if (isApart) for (let f = 0; f < d; f++) apart += Math.abs(A[a + f] - B[b + f]);
		return value(
			dot(A, a, B, b, d, 0),
			dot(A, a, A, a, d, 0),
			dot(B, b, B, b, d, 0),
			settings,
			apart,
		);
	};
}

export function hasKernel({kernel}) {
	return Object.hasOwn(KERNELS, kernel);
}

// A gamma at which the kernel tells rows apart: 1 / the mean of ‖x − x̄‖².
export function gammaOf({kernel, gamma}, {X, n, d}) {
	if (!["poly", "rbf", "laplacian", "sigmoid"].includes(kernel)) return null;
	if (gamma !== null) return gamma;
	let [length, counted] = [0, 0];
	const sums = new Float64Array(d);
	for (let i = 0; i < n; i++) {
		length += dot(X, i * d, X, i * d, d, 0) / n;
		for (let f = 0; f < d; f++) {
			sums[f] += X[i * d + f];
			counted += X[i * d + f] === 0 ? 0 : 1 / n;
		}
	}
	if (length < 2.2250738585072014e-308) return 1;
	let apart = length;
	if (n > 1) apart -= sums.reduce((sum, of) => sum + (of / n) ** 2, 0);
	else length = apart = Math.max(apart, d);
	if (apart <= 1e-9 * length) apart = length;
	if (kernel === "sigmoid") apart = 4 * length;
	if (kernel === "laplacian") apart = Math.sqrt(apart * counted);
	return Number((1 / apart).toPrecision(6));
}
