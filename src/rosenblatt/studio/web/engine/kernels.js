// Kernels: how alike two rows are, as the library's models/kernel_functions.py has it.
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

const EPS = 2 ** -52;

// A multiple of 2^-10 whose size is limited: sums of products of a few such numbers are exact.
function isShort(value, most) {
	return Number.isInteger(value * 1024) && Math.abs(value) <= most;
}

// How far a power can be off whose base is.
function powerError(base, baseError, degree, value) {
	let places = 0;
	while (places <= 30 && !Number.isInteger(base * 2 ** places)) places += 1;
	const bits = degree * (places + Math.log2(Math.abs(base) + 1));
	const rounding = baseError === 0 && bits <= 52 ? 0 : 2 * degree * EPS * Math.abs(value);
	return degree * (Math.abs(base) + baseError) ** (degree - 1) * baseError + rounding;
}

// How far exp can be off whose argument, 0 or less, is.
function expError(argument, argumentError, value) {
	if (argument === 0 && argumentError === 0) return 0;
	if (argument + argumentError < -760) return 0; // no float is so small
	const highest = Math.exp(Math.min(argument + argumentError, 0));
	const moved = argumentError < 1e-3 ? 2 * value * argumentError : highest;
	return moved + 4 * EPS * value + Number.MIN_VALUE;
}

// Each of (what is known of two rows, settings, the kernel of the two): what rounding can have
// added to it, 0 where all sums and products on the way are exact. An engine that adds in another
// order, as the library's does, is within as much of the true value.
const ERRORS = {
	linear: ({dotError}) => dotError,
	poly: (of, {gamma, coef0, degree}, value) =>
		powerError(of.xz * gamma + coef0, baseError(of, gamma, coef0), degree, value),
	// Where rows are far from the origin, a small distance is the difference of large squares.
	rbf: ({xz, xx, zz, isExact, d}, {gamma}, value) => {
		const size = gamma * (2 * Math.sqrt(xx * zz) + xx + zz);
		const isWhole = isExact && isShort(gamma, 1024) && size <= 2 ** 22;
		const argument = Math.min(xz * (2 * gamma) - gamma * xx - gamma * zz, 0);
		return expError(argument, isWhole ? 0 : (d + 6) * EPS * size, value);
	},
	laplacian: ({apart, d}, {gamma}, value) =>
		expError(-gamma * apart, (d + 4) * EPS * gamma * apart, value),
	sigmoid: (of, {gamma, coef0}, value) => {
		const error = baseError(of, gamma, coef0);
		const least = Math.tanh(Math.max(Math.abs(of.xz * gamma + coef0) - error, 0));
		// Where it is flat, what its base is off by makes no difference.
		return least === 1 ? 0 : (1 - least * least) * error + 4 * EPS * Math.abs(value);
	},
	cosine: ({xz, xx, zz, isExact, d}) =>
		xx * zz === 0 || (isExact && xz === 0) ? 0 : (d + 8) * EPS,
};

// Of γ x·z + coef0.
function baseError({xz, dotError}, gamma, coef0) {
	const size = Math.abs(xz * gamma) + Math.abs(coef0);
	const isWhole = isShort(gamma, 1024) && isShort(coef0, 2 ** 22) && size <= 2 ** 22;
	return gamma * dotError + (isWhole ? 0 : 2 * EPS * size);
}

// What rounding can have added to a kernel, as a function of row i and row j of X and their kernel.
export function kernelErrorOf({kernel, degree, coef0}, gamma, {X, d}) {
	const settings = {degree, coef0, gamma: gamma ?? 1};
	const isExact = d <= 16 && X.every((value) => isShort(value, 2 ** 14));
	return (i, j, value) => {
		const [a, b] = [i * d, j * d];
		const [xx, zz] = [dot(X, a, X, a, d, 0), dot(X, b, X, b, d, 0)];
		let apart = 0;
		for (let f = 0; f < d; f++) apart += Math.abs(X[a + f] - X[b + f]);
		const dotError = isExact ? 0 : (d + 2) * EPS * Math.sqrt(xx * zz);
		const known = {xz: dot(X, a, X, b, d, 0), xx, zz, apart, isExact, dotError, d};
		return ERRORS[kernel](known, settings, value);
	};
}

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
