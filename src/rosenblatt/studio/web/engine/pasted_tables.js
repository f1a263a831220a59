// Two columns of a table and the class of every row, as pasted or from a small file.
import {grouped} from "./numbers.js";

const MISSING = new Set([
	"",
	"?",
	"-",
	"NA",
	"N/A",
	"na",
	"n/a",
	"NaN",
	"nan",
	"NULL",
	"null",
	"None",
	"none",
]);
const DELIMITERS = [",", "\t", ";", "|"];
const [MOST_ROWS, MOST_CLASSES, LINES_SHOWN] = [5_000, 100, 5];

// The cells of every line; quoted ones may hold marks and line ends.
function cellsOf(text, delimiter) {
	const rows = [];
	let [row, cell, quoted, line] = [[], "", false, 1];
	const end = () => {
		row.push(cell.trim());
		cell = "";
	};
	const endRow = () => {
		end();
		if (row.some(Boolean)) rows.push({cells: row, line});
		row = [];
	};
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quoted) {
			if (c === '"' && text[i + 1] === '"') cell += text[++i];
			else if (c === '"') quoted = false;
			else cell += c;
		} else if (c === '"' && !cell.trim()) [quoted, cell] = [true, ""];
		else if (c === delimiter) end();
		else if (c === "\n") {
			endRow();
			line += 1;
		} else if (c !== "\r") cell += c;
	}
	endRow();
	return rows;
}

function numberOf(cell, decimal) {
	const text = decimal === "," ? cell.replace(",", ".") : cell;
	return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

// The share of the variance of a column that lies between the classes.
function apart(values, labels) {
	const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
	const known = values.map((value, i) => [value, labels[i]]).filter(([v]) => Number.isFinite(v));
	if (!known.length) return 0;
	const all = mean(known.map(([value]) => value));
	const groups = new Map();
	for (const [value, label] of known) groups.set(label, [...(groups.get(label) ?? []), value]);
	const total = known.reduce((sum, [value]) => sum + (value - all) ** 2, 0);
	const between = [...groups.values()].map((list) => list.length * (mean(list) - all) ** 2);
	return total > 0 ? between.reduce((sum, value) => sum + value, 0) / total : 0;
}

function named(what, name, columns) {
	const found = columns.find((column) => column.name === name) ?? columns[Number(name) - 1];
	if (found) return found;
	const listed = columns.slice(0, 10).map((column) => `"${column.name}"`);
	throw new Error(`There is no column "${name}" for ${what}; there are ${listed.join(", ")}.`);
}

function classColumn(columns, taken) {
	const free = columns.filter((column) => !taken.includes(column));
	const few = (most) => free.filter(({cells}) => new Set(cells).size <= most);
	const texts = few(MOST_CLASSES).filter(({kind}) => kind === "text");
	const found = texts.at(-1) ?? few(10).at(-1) ?? few(MOST_CLASSES).at(-1) ?? free.at(-1);
	if (!found) throw new Error("The table has no column left for the class.");
	return found;
}

function readColumns(text) {
	if (!text?.trim()) throw new Error("The table is empty: paste rows of two numbers and a class.");
	const first = text.split("\n").find((line) => line.trim());
	const counts = DELIMITERS.map((mark) => first.split(mark).length - 1);
	const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))];
	if (!Math.max(...counts))
		throw new Error(
			"The table has only one column: separate its columns by commas, tabs or semicolons.",
		);
	const rows = cellsOf(text, delimiter);
	const decimal =
		delimiter !== "," && rows.some(({cells}) => cells.some((c) => /^[+-]?\d+,\d+$/.test(c)))
			? ","
			: ".";
	const notices = [];
	let names = rows[0].cells;
	if (names.filter((cell) => Number.isFinite(numberOf(cell, decimal))).length >= 2) {
		names = names.map((_, i) => String(i + 1));
		notices.push("The first line holds values, so the columns are called 1, 2, 3 and so on.");
	} else rows.shift();
	if (!rows.length) throw new Error("The table has no rows below its header.");
	for (const {cells, line} of rows)
		if (cells.length !== names.length)
			throw new Error(
				`Line ${line}: it has ${cells.length} cells, but the header has ${names.length}.`,
			);
	const columns = names.map((name, i) => {
		const cells = rows.map((row) => row.cells[i]);
		const numbers = cells.map((cell) => numberOf(cell, decimal));
		const known = cells.filter((cell) => !MISSING.has(cell)).length;
		const kind = known && numbers.filter(Number.isFinite).length === known ? "number" : "text";
		return {name, cells, numbers, kind};
	});
	return {columns, lines: rows.map(({line}) => line), notices};
}

export function pasted({text, x, y, label}) {
	const {columns, lines, notices} = readColumns(text);
	const [a, b] = [x && named("x", x, columns), y && named("y", y, columns)];
	const own = label ? named("the class", label, columns) : classColumn(columns, [a, b]);
	const taken = [a, b, own].filter(Boolean);
	if (new Set(taken).size < taken.length)
		throw new Error("x, y and the class are to be three different columns.");
	const usable = columns.filter((column) => column.kind === "number" && !taken.includes(column));
	const best = usable
		.map((column) => [apart(column.numbers, own.cells), column])
		.sort(([one], [other]) => other - one)
		.slice(0, 2 - taken.length + 1)
		.map(([, column]) => column);
	const free = columns.filter((column) => best.includes(column));
	const [across, up] = [a ?? free.shift(), b ?? free.shift()];
	if (!across || !up)
		throw new Error(
			`The table needs two columns of numbers beside the class "${own.name}"; it has ` +
				`${usable.length + taken.length - 1}.`,
		);
	const rows = chosenRows(across, up, own, lines, notices);
	return {
		columns: columns.map(({name, kind}) => ({name, kind})),
		...{x: across.name, y: up.name, label: own.name, notices},
		data: {columns: [across.name, up.name], rows},
	};
}

function chosenRows(across, up, own, lines, notices) {
	const lacks = [across, up].map((column) =>
		column.numbers.map((value) => !Number.isFinite(value)),
	);
	lacks.push(own.cells.map((cell) => MISSING.has(cell)));
	[across, up, own].forEach(({name}, i) => {
		const gaps = lines.filter((_, row) => lacks[i][row]);
		if (!gaps.length) return;
		const shown = gaps.slice(0, LINES_SHOWN).join(", ") + (gaps.length > LINES_SHOWN ? " …" : "");
		const one = gaps.length === 1;
		notices.push(
			`${gaps.length} row${one ? " was" : "s were"} left out for lack of a value in ` +
				`"${name}" (line${one ? "" : "s"} ${shown}).`,
		);
	});
	let kept = lines.map((_, i) => i).filter((i) => !lacks.some((lack) => lack[i]));
	if (!kept.length)
		throw new Error(`No row has a value in all of "${across.name}", "${up.name}", "${own.name}".`);
	if (kept.length > MOST_ROWS) {
		const all = kept;
		notices.push(`${grouped(MOST_ROWS)} of ${grouped(all.length)} rows are shown, spread evenly.`);
		kept = Array.from(
			{length: MOST_ROWS},
			(_, i) => all[Math.floor((i * (all.length - 1)) / (MOST_ROWS - 1))],
		);
	}
	const classes = new Set(kept.map((i) => own.cells[i]));
	if (classes.size > MOST_CLASSES)
		throw new Error(
			`The column "${own.name}" has ${classes.size} different values: choose a class ` +
				`with at most ${MOST_CLASSES}.`,
		);
	if (classes.size === 1) notices.push(`All rows are of the class "${[...classes][0]}".`);
	return kept.map((i) => [across.numbers[i], up.numbers[i], own.cells[i]]);
}
