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

export class MappedRows {
	constructor({rows, columns}, kind) {
		this.columns = columns;
		this.points = rows.map(([x, y]) => [x, y]);
		this.classes = inOrder([...new Set(rows.map((row) => row[2]))]);
		this.oneClass = this.classes.length === 1;
		// One class alone is the positive one, and a class without rows stands for all it is not.
		if (this.oneClass) this.classes.unshift(`not ${this.classes[0]}`);
		const place = new Map(this.classes.map((name, i) => [name, i]));
		this.y = Int32Array.from(rows, (row) => place.get(row[2]));
		const {names, map} = mapOf(kind, columns);
		[this.names, this.n, this.d] = [names, rows.length, names.length];
		this.mapped = kind === "none" ? null : this.points.map(([x, y]) => map(x, y));
		this.X = Float64Array.from((this.mapped ?? this.points).flat());
		this.vectors = this.classes.length === 2 ? 1 : this.classes.length;
	}

	// With one row more, of zeros, that stands for the class that is missing.
	withPlaceholder() {
		const X = new Float64Array(this.X.length + this.d);
		X.set(this.X);
		return {X, y: Int32Array.from([...this.y, 0]), n: this.n + 1, d: this.d};
	}

	toJson() {
		return {
			columns: this.columns,
			rows: this.points,
			labels: [...this.y],
			classes: this.classes,
			features: this.names,
			mapped: this.mapped,
		};
	}
}
