// Whether a kernel separates the examples: the verdict is on the points as the kernel maps them.
import {Verdict} from "./verdicts.js";

// Of a space with more dimensions, or more weights of all classes, no verdict is looked for.
const [MOST_DIMENSIONS, MOST_WEIGHTS] = [20, 100];

// All products of up to `degree` features, of at least `least`; null if they are many.
function monomials({X, n, d}, degree, least) {
	let level = [[new Float64Array(n).fill(1), 0]];
	const found = least ? [] : [level[0][0]];
	for (let size = 1; size <= degree; size++) {
		level = level.flatMap(([values, last]) =>
			Array.from({length: d - last}, (_, i) => [
				values.map((value, row) => value * X[row * d + last + i]),
				last + i,
			]),
		);
		if (size >= least) found.push(...level.map(([values]) => values));
		if (found.length > MOST_DIMENSIONS || level.length > MOST_DIMENSIONS) return null;
	}
	return found.some((values) => !values.every(Number.isFinite)) ? null : found;
}

function verdict(run) {
	const {rows, learner, training} = run;
	if (training.contradicted()) return [false, "two points are the same and have different labels"];
	if (run.reason === "separated")
		return [true, "the run ends with a function that is right for all points"];
	if (["rbf", "laplacian"].includes(learner.kernel))
		return [true, "it separates any points of which no two are the same"];
	if (!["linear", "poly"].includes(learner.kernel) || learner.coef0 < 0)
		return [null, "its values need not be products of mapped points"];
	const [degree, least] = learner.kernel === "linear" ? [1, 1] : [learner.degree, 0];
	const found = monomials(rows, degree, learner.coef0 === 0 ? degree : least);
	if (!found || rows.classes.length * found.length > MOST_WEIGHTS)
		return [null, "it maps the points into too many dimensions"];
	const X = new Float64Array(rows.n * found.length);
	found.forEach((values, f) => {
		for (let row = 0; row < rows.n; row++) X[row * found.length + f] = values[row];
	});
	const {n, y, vectors, classes, numbers} = rows;
	const of = {X, n, y, vectors, classes, numbers, d: found.length, names: [], oneClass: false};
	const {separable} = new Verdict(of, false);
	if (separable === null) return [null, "rounding hides it"];
	const can = separable ? "can" : "cannot";
	return [separable, `mapped into ${found.length} dimensions, they ${can} be divided by a plane`];
}

// What the page says of the space of a kernel; R and γ are not measured there.
export function kernelTheory(run) {
	const [separable, why] = verdict(run);
	const sentence =
		separable === null
			? `It could not be decided whether the classes are separable with this kernel: ${why}.`
			: `The classes are ${separable ? "" : "not "}separable with this kernel: ${why}.`;
	const unmeasured = {radius: null, margin: null, bound: null, separator: null, conflict: null};
	return {separable, sentence, ...unmeasured};
}
