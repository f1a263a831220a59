// The rows of a state as a learner takes them: mapped features and numbers of classes.

const SIGNS = {"-": -1, "−": -1, "–": -1, "+": 1};

const MAPS = {
	none: ([a, b]) => ({names: [a, b], map: (x, y) => [x, y]}),
	product: ([a, b]) => ({names: [a, b, `${a}·${b}`], map: (x, y) => [x, y, x * y]}),
	quadratic: ([a, b]) => ({
		names: [a, b, `${a}²`, `${a}·${b}`, `${b}²`],
		map: (x, y) => [x, y, x * x, x * y, y * y],
	}),
};

// The number or sign that a class is named by, else NaN.
function sizeOf(name) {
	if (Object.hasOwn(SIGNS, name)) return SIGNS[name];
	return name.trim() && !/^[+-]?0[xob]/i.test(name.trim()) ? Number(name) : NaN;
}

function byText(a, b) {
	const [one, other] = [[...a], [...b]];
	for (let i = 0; i < Math.min(one.length, other.length); i++)
		if (one[i] !== other[i]) return one[i].codePointAt(0) - other[i].codePointAt(0);
	return one.length - other.length;
}

// Numbers by size, signs minus first, all else as text.
export function inOrder(classes) {
	const areNumbers = classes.every((name) => Number.isFinite(sizeOf(name)));
	const size = (name) => (areNumbers ? sizeOf(name) : 0);
	return [...classes].sort((a, b) => size(a) - size(b) || byText(a, b));
}

export function mapOf(kind, columns) {
	return MAPS[kind](columns);
}

function learned(labels, held) {
	const all = labels.map((_, i) => i);
	if (held < 2) return all;
	const isLearned = (i) => i % held !== held - 1;
	const remain = new Set(all.filter(isLearned).map((i) => labels[i]));
	return all.filter((i) => isLearned(i) || !remain.has(labels[i]));
}

export class MappedRows {
	// Those that are learned from: all but every `held`-th point of a class of which others remain.
	// `numbers` are their places among all.
	constructor({rows, columns}, kind, held = 0) {
		this.columns = columns;
		this.classes = inOrder([...new Set(rows.map((row) => row[2]))]);
		this.oneClass = this.classes.length === 1;
		// One class alone is the positive one, and a class without rows stands for all it is not.
		if (this.oneClass) this.classes.unshift(`not ${this.classes[0]}`);
		const place = new Map(this.classes.map((name, i) => [name, i]));
		const {names, map} = mapOf(kind, columns);
		[this.names, this.d] = [names, names.length];
		const points = rows.map(([x, y]) => [x, y]);
		const mapped = kind === "none" ? null : points.map(([x, y]) => map(x, y));
		this.all = {points, labels: rows.map((row) => place.get(row[2])), mapped};
		this.numbers = learned(this.all.labels, held);
		this.n = this.numbers.length;
		this.points = this.numbers.map((i) => points[i]);
		this.y = Int32Array.from(this.numbers, (i) => this.all.labels[i]);
		this.X = Float64Array.from(this.numbers.flatMap((i) => (mapped ?? points)[i]));
		this.vectors = this.classes.length === 2 ? 1 : this.classes.length;
	}

	// With one row more, of zeros, that stands for the class that is missing.
	withPlaceholder() {
		const X = new Float64Array(this.X.length + this.d);
		X.set(this.X);
		return {X, y: Int32Array.from([...this.y, 0]), n: this.n + 1, d: this.d};
	}

	toJson() {
		const {points, labels, mapped} = this.all;
		const own = new Set(this.numbers);
		return {
			columns: this.columns,
			rows: points,
			labels,
			classes: this.classes,
			features: this.names,
			held: labels.map((_, i) => i).filter((i) => !own.has(i)),
			mapped,
		};
	}
}
