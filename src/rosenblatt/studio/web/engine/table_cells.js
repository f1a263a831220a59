// A table as text, as people write, save and copy it: its rows of cells, and its columns.

const MISSING = new Set(["", "?", "-", "–", "na", "n/a", "nan", "null", "none", "#n/a"]);
const DELIMITERS = ["\t", ";", "|", ","];
// So many lines are looked at to find what stands between the cells.
const LOOKED_AT = 20;
// A column is of numbers if at least this share of its cells is; the others are faults.
const MOSTLY = 0.75;
const ONE_COLUMN =
	"The table has only one column: separate its columns by commas, semicolons, tabs or blanks.";

export function isMissing(cell) {
	return MISSING.has(cell.toLowerCase());
}

function delimiterOf(lines) {
	const counts = (mark) => lines.map((line) => line.split(mark).length - 1);
	const even = DELIMITERS.filter((mark) => new Set(counts(mark)).size === 1);
	const found = [...even, ...DELIMITERS].find((mark) => counts(mark)[0] > 0);
	if (found) return found;
	if (lines.some((line) => !/\S\s+\S/.test(line))) throw new Error(ONE_COLUMN);
	return " ";
}

// The cells of every line; quoted ones may hold marks and line ends.
function cellsOf(text, delimiter) {
	const rows = [];
	let [row, cell, quoted, line, from] = [[], "", 0, 1, 1];
	const end = () => {
		row.push(cell.trim());
		cell = "";
	};
	const endRow = () => {
		end();
		if (row.some(Boolean)) rows.push({cells: row, line: from});
		[row, from] = [[], line + 1];
	};
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quoted) {
			if (c === "\n") line += 1;
			if (c === '"' && text[i + 1] === '"') cell += text[++i];
			else if (c === '"') quoted = 0;
			else cell += c;
		} else if (c === '"' && !cell.trim()) [quoted, cell] = [line, ""];
		else if (c === delimiter) end();
		else if (c === "\n") {
			endRow();
			line += 1;
		} else if (c !== "\r") cell += c;
	}
	if (quoted)
		throw new Error(`Line ${quoted}: a cell begins with " and is never closed: add a second ".`);
	endRow();
	return rows;
}

// Which mark stands before decimals. Groups of three digits after a comma are thousands.
function decimalOf(rows) {
	let [commas, points] = [0, 0];
	for (const {cells} of rows)
		for (const cell of cells) {
			if (/^[+−-]?\d+,\d+$/.test(cell)) commas += /^[+−-]?[1-9]\d{0,2},\d{3}$/.test(cell) ? 0 : 1;
			else if (/\d,\d*$/.test(cell) && /^[+−-]?\d{1,3}([.'’\s]\d{3})+,\d+$/.test(cell)) commas += 1;
			else if (/^[+−-]?[\d,'’\s]*\.\d+$/.test(cell)) points += 1;
		}
	return commas > points ? "," : ".";
}

function numberOf(cell, decimal) {
	let text = cell.replace("−", "-");
	if (/\d[.,'’\s]\d{3}/.test(text)) {
		const groups =
			decimal === "," ? /(?<=\d)[.'’\s](?=\d{3}(?!\d))/g : /(?<=\d)[,'’\s](?=\d{3}(?!\d))/g;
		text = text.replace(groups, "");
	}
	if (decimal === ",") text = text.replace(",", ".");
	return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

// Values stand in the first line, not names, where half of the columns of numbers begin with one.
function hasNames(rows, decimal) {
	const isNumber = (cell) => Number.isFinite(numberOf(cell, decimal));
	const below = rows.slice(1, 1 + LOOKED_AT);
	if (!below.length) return rows[0].cells.filter(isNumber).length < 2;
	const ofNumbers = rows[0].cells.filter((_, i) =>
		below.every(({cells}) => isNumber(cells[i] ?? "")),
	);
	return ofNumbers.filter(isNumber).length < Math.max(1, ofNumbers.length / 2);
}

// Each a name of its own.
function named(cells) {
	const taken = new Set();
	return cells.map((cell, i) => {
		const stem = cell || `column ${i + 1}`;
		let name = stem;
		for (let n = 2; taken.has(name); n++) name = `${stem} (${n})`;
		taken.add(name);
		return name;
	});
}

function columnOf(name, cells, decimal) {
	const numbers = Float64Array.from(cells, (cell) => numberOf(cell, decimal));
	const [known, good] = [cells.filter((cell) => !isMissing(cell)), numbers.filter(Number.isFinite)];
	const kind = known.length && good.length >= MOSTLY * known.length ? "number" : "text";
	// One that counts the rows tells nothing of them.
	const counts = cells.length > 2 && numbers.every((n, i) => !i || n === numbers[i - 1] + 1);
	return {name, cells, numbers, kind, counts, clean: good.length === known.length};
}

// The columns of a table, the line that each row begins in, and what is to be said of both.
export function columnsOf(given) {
	const text = given.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
	if (!text.trim()) throw new Error("The table is empty: paste rows of two numbers and a class.");
	const looked = text
		.split("\n")
		.filter((line) => line.trim())
		.slice(0, LOOKED_AT);
	const delimiter = delimiterOf(looked);
	const rows = cellsOf(delimiter === " " ? text.replace(/[^\S\n]+/g, " ") : text, delimiter);
	const decimal = decimalOf(rows);
	const notices = [];
	if (decimal === ",") notices.push("Decimal commas were read: 1,5 is 1.5.");
	const isNamed = hasNames(rows, decimal);
	const names = named(isNamed ? rows.shift().cells : rows[0].cells.map((_, i) => String(i + 1)));
	if (!isNamed)
		notices.push("The first line holds values, so the columns are called 1, 2, 3 and so on.");
	if (!rows.length) throw new Error("The table has no rows below its header: add some.");
	const [first] = isNamed ? ["the header"] : [`line ${rows[0].line}`];
	for (const {cells, line} of rows) {
		while (cells.length > names.length && !cells.at(-1)) cells.pop();
		if (cells.length !== names.length)
			throw new Error(
				`Line ${line} has ${cells.length} cells and ${first} has ${names.length}: give every ` +
					"row as many.",
			);
	}
	const all = names.map((name, i) =>
		columnOf(
			name,
			rows.map(({cells}) => cells[i]),
			decimal,
		),
	);
	const columns = all.filter(({cells}) => cells.some(Boolean));
	return {columns, lines: rows.map(({line}) => line), notices};
}
