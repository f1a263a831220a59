// Numbers as people write them: "-0.75", "−3/4", "3,5", "√10", "2√5", "2*sqrt(5)", "11/√13".

// One number, root, sign, operator or bracket.
const TOKEN = /\s*(\d+(?:\.\d*)?|\.\d+|sqrt|[-+*/()√])/y;

function tokensOf(text) {
	const plain = text.replaceAll("−", "-").replaceAll("·", "*").replaceAll("×", "*");
	const clean = plain.replaceAll(",", ".").trimEnd();
	const tokens = [];
	TOKEN.lastIndex = 0;
	while (TOKEN.lastIndex < clean.length) {
		const from = TOKEN.lastIndex;
		const found = TOKEN.exec(clean);
		if (!found) throw new SyntaxError(`unexpected text at ${from}`);
		tokens.push(found[1] === "sqrt" ? "√" : found[1]);
	}
	return tokens;
}

// Recursive descent: sum = product {+|- product}, product = factor {[*|/] factor},
// factor = -factor | √factor | (sum) | number. A missing sign between factors multiplies.
class Parser {
	constructor(tokens) {
		this.tokens = tokens;
		this.place = 0;
	}

	get next() {
		return this.tokens[this.place];
	}

	take() {
		this.place += 1;
		return this.tokens[this.place - 1];
	}

	sum() {
		let value = this.product();
		while (this.next === "+" || this.next === "-") {
			const sign = this.take() === "+" ? 1 : -1;
			value += sign * this.product();
		}
		return value;
	}

	product() {
		let value = this.factor();
		while (this.next !== undefined && !"+-)".includes(this.next)) {
			const divides = this.next === "/";
			if (divides || this.next === "*") this.take();
			const other = this.factor();
			value = divides ? value / other : value * other;
		}
		return value;
	}

	factor() {
		const token = this.take();
		if (token === "-") return -this.factor();
		if (token === "+") return this.factor();
		if (token === "√") return Math.sqrt(this.factor());
		if (token === "(") {
			const value = this.sum();
			if (this.take() !== ")") throw new SyntaxError("a bracket is not closed");
			return value;
		}
		if (!/^[\d.]/.test(token ?? "")) throw new SyntaxError("a number is missing");
		return Number(token);
	}
}

// The value of what was typed; NaN if it is no number.
export function parseNumber(text) {
	try {
		const parser = new Parser(tokensOf(String(text)));
		const value = parser.sum();
		return parser.next === undefined ? value : Number.NaN;
	} catch {
		return Number.NaN;
	}
}
