// The rules of the linear family: how far a step goes. Each is that of the library's rules.h, one
// operation after the other, so that every bit is the same.

// exp(x) and log(x) from additions and multiplications alone: those of a browser may differ.
export function exponential(x) {
	if (x > 709) return Infinity;
	if (x < -745) return 0;
	const n = Math.floor(x * Math.LOG2E + 0.5);
	const r = x - n * 0.693145751953125 - n * 1.4286068203094173e-6;
	let sum = 1;
	for (let k = 14; k > 0; k--) sum = 1 + (r * sum) / k;
	// Where it may be below the smallest normal number, so that it is rounded once.
	return n < -1000 ? sum * 2 ** (n + 200) * 2 ** -200 : sum * 2 ** (n - 1) * 2;
}

function logarithm(x) {
	let [m, n] = [x, 0];
	for (; m >= 1; m /= 2) n += 1;
	for (; m < 0.5; m *= 2) n -= 1;
	if (m < Math.SQRT1_2) [m, n] = [m * 2, n - 1];
	const s = (m - 1) / (m + 1);
	const squared = s * s;
	let sum = 0;
	for (let k = 21; k > 0; k -= 2) sum = 1 / k + squared * sum;
	return 2 * s * sum + n * Math.LN2;
}

// The quantile of the normal distribution (Wichura 1988), to the 12 digits that the library keeps.
const quotient = (r, above, below) => {
	const at = (numbers) => numbers.reduce((sum, number) => sum * r + number, 0);
	return at(above) / at(below);
};
const NEAR = [
	[
		2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
		1971.5909503065513, 133.14166789178438, 3.3871328727963665,
	],
	[
		5226.495278852545, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
		687.1870074920579, 42.31333070160091, 1,
	],
];
const FAR = [
	[
		0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
		3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835,
	],
	[
		1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
		0.6897673349851, 1.6763848301838038, 2.053191626637759, 1,
	],
];
const FARTHEST = [
	[
		2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
		0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
	],
	[
		2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133,
		0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
	],
];

function normalQuantile(p) {
	const q = p - 0.5;
	let found;
	if (Math.abs(q) <= 0.425) found = q * quotient(0.180625 - q * q, ...NEAR);
	else {
		const r = Math.sqrt(-Math.log(1 - p));
		found = r <= 5 ? quotient(r - 1.6, ...FAR) : quotient(r - 5, ...FARTHEST);
	}
	return Number(found.toFixed(12));
}

// How sure a row is to make the weights is the second number of a rule of second order.
function withDeviation(phi, step, variance) {
	if (!(step > 0)) return [0, 0];
	const half = 0.5 * step * variance * phi;
	return [step, (step * phi * (Math.sqrt(half * half + variance) + half)) / variance];
}

function confidentLength(phi, margin, variance) {
	const square = phi * phi;
	const zeta = 1 + square;
	const bent = margin * square * 0.5;
	if (variance === 0 || margin >= phi * Math.sqrt(variance)) return 0;
	const root = Math.sqrt(bent * bent + variance * square * zeta);
	return Math.max(0, (root - margin * (1 + 0.5 * square)) / (variance * zeta));
}

const SCW_STEPS = {
	CW: (phi, _, margin, v) => confidentLength(phi, margin, v),
	I: (phi, C, margin, v) => Math.min(confidentLength(phi, margin, v), C),
	II: (phi, C, margin, v) => {
		const square = phi * phi;
		const n = v + 0.5 / C;
		if (v === 0 || margin >= phi * Math.sqrt(v)) return 0;
		const root = Math.sqrt(square * margin * margin * v * v + 4 * n * v * (n + v * square));
		return (phi * root - margin * (2 * n + square * v)) / (2 * n * (n + v * square));
	},
};

const shortest = (margin, norm) => (margin >= 1 || norm === 0 ? 0 : (1 - margin) / norm);

const PA_STEPS = {
	PA: () => shortest,
	"PA-I": (C) => (margin, norm) => {
		const step = shortest(margin, norm);
		return Math.min(step, C);
	},
	"PA-II": (C) => (margin, norm) => (margin >= 1 ? 0 : (1 - margin) / (norm + 0.5 / C)),
};

function perceptron({eta0, margin = 0, steps}) {
	const rule = {name: "perceptron", eta: eta0, quietAbove: margin, needsNorm: false};
	const threshold = margin > 0 ? margin : -Infinity;
	rule.step = (m, _, mistaken) => (mistaken || m <= threshold ? eta0 : 0);
	rule.raisesAlone = margin === 0;
	rule.evenSteps = margin === 0 && steps !== "adagrad";
	return rule;
}

// A learner of the page by its kind: its rule, and how it answers where not by its last weights.
const RULES = {
	perceptron,
	averaged: perceptron,
	voted: (learner) => ({...perceptron(learner), votes: true}),
	mira: ({aggressive}) => {
		const threshold = aggressive ?? 0;
		const step = (margin, norm, mistaken) =>
			norm === 0 || !(mistaken || margin < threshold) ? 0 : (1 - margin) / norm;
		return {name: "mira", quietAbove: threshold, step};
	},
	pa: ({variant, C}) => ({name: variant, quietAbove: 1, step: PA_STEPS[variant](C)}),
	soft: ({eta0, steps, schedule, max_move: move}) => {
		const most = move === null || steps === "adagrad" ? Infinity : move;
		const rule = {name: "soft", eta: eta0, quietAbove: Infinity, needsNorm: most < Infinity};
		rule.blamesAll = true;
		// A longer step than most / ‖x‖² would overshoot on a long row.
		rule.softEta = (norm) => (rule.eta * norm > most ? most / norm : rule.eta);
		rule.step = (margin, norm) => rule.softEta(norm) / (1 + exponential(margin));
		if (schedule !== "constant" && steps !== "adagrad")
			rule.etaAfter = (epochs) => eta0 / Math.sqrt(1 + epochs);
		rule.logarithm = logarithm;
		return rule;
	},
	arow: ({r}) => ({
		name: "AROW",
		quietAbove: 1,
		sureStep: (margin, v) => [margin >= 1 || v === 0 ? 0 : (1 - margin) / (v + r), 1 / r],
	}),
	scw: ({variant, C, eta}) => {
		const phi = normalQuantile(eta);
		return {
			name: variant === "CW" ? "CW" : `SCW-${variant}`,
			quietAbove: Infinity,
			sureStep: (margin, v) => withDeviation(phi, SCW_STEPS[variant](phi, C, margin, v), v),
		};
	},
};

export function hasRule(kind) {
	return Object.hasOwn(RULES, kind);
}

export function ruleOf(learner) {
	const rule = RULES[learner.kind](learner);
	rule.eta ??= 1;
	rule.needsNorm ??= true;
	rule.evenSteps ??= false;
	rule.rates = rule.sureStep ? "variance" : learner.steps === "adagrad" ? "gradient" : null;
	rule.tieIsMistake = learner.ties === "mistake";
	rule.raisesAlone = Boolean(rule.raisesAlone) && rule.tieIsMistake;
	rule.votes = Boolean(rule.votes);
	// The voted perceptron keeps the mean beside its votes.
	rule.averages = rule.votes || (learner.average ?? "no") !== "no";
	rule.tail = learner.average === "tail";
	return rule;
}
