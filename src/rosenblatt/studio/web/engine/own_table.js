// Two columns of a table and the class of every row, or its two principal directions; scaled, and
// with a word on what would disturb a perceptron.
import {counted, figure, general, grouped} from "./numbers.js";
import {principal} from "./principal_directions.js";
import {MOST_CLASSES, MOST_ROWS} from "./states.js";
import {columnsOf, isMissing} from "./table_cells.js";

const [MOST_DIRECTIONS, LINES_SHOWN] = [200, 5];
// Ranges of two columns that differ by more than this are mentioned.
const UNEVEN = 10;
const FEWEST_IN_BLOCKS = 10;

function meanOf(values) {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// The share of the variance of a column that lies between the classes.
function apart(values, labels) {
	const known = labels.map((_, i) => i).filter((i) => Number.isFinite(values[i]));
	if (!known.length) return 0;
	const all = meanOf(known.map((i) => values[i]));
	const groups = new Map();
	let total = 0;
	for (const i of known) {
		const away = values[i] - all;
		total += away * away;
		const group = groups.get(labels[i]) ?? {n: 0, sum: 0};
		groups.set(labels[i], {n: group.n + 1, sum: group.sum + away});
	}
	let between = 0;
	for (const {n, sum} of groups.values()) between += (sum * sum) / n;
	return total > 0 ? between / total : 0;
}

function find(what, name, columns) {
	const found = columns.find((column) => column.name === name) ?? columns[Number(name) - 1];
	if (found) return found;
	const listed = columns.slice(0, 10).map((column) => `"${column.name}"`);
	throw new Error(`There is no column "${name}" for ${what}; there are ${listed.join(", ")}.`);
}

// The last column of text with few values, else of few numbers.
function classColumn(columns, taken) {
	const free = columns.filter((column) => !taken.includes(column));
	const few = (most) => free.filter(({cells}) => new Set(cells).size <= most);
	const texts = few(MOST_CLASSES).filter(({kind}) => kind === "text");
	const found = texts.at(-1) ?? few(10).at(-1) ?? few(MOST_CLASSES).at(-1) ?? free.at(-1);
	if (!found) throw new Error("The table has no column left for the class: add one.");
	return found;
}

// The columns asked for, or those in which the classes lie farthest apart.
function featureColumns(columns, own, x, y) {
	const [a, b] = [x && find("x", x, columns), y && find("y", y, columns)];
	const taken = [a, b, own].filter(Boolean);
	if (new Set(taken).size < taken.length)
		throw new Error("x, y and the class are to be three different columns.");
	const usable = columns.filter((column) => column.kind === "number" && !taken.includes(column));
	const best = usable
		.map((column) => [
			column.counts ? -2 : column.clean ? apart(column.numbers, own.cells) : -1,
			column,
		])
		.sort(([one], [other]) => other - one)
		.slice(0, 3 - taken.length)
		.map(([, column]) => column);
	const free = columns.filter((column) => best.includes(column));
	const found = [a ?? free.shift(), b ?? free.shift()].filter(Boolean);
	if (found.length < 2)
		throw new Error(
			`The table needs two columns of numbers beside the class "${own.name}"; it has ` +
				`${usable.length + taken.length - 1}: add one, or choose another class.`,
		);
	return found;
}

function leftOut(name, gaps) {
	const shown = gaps.slice(0, LINES_SHOWN).join(", ") + (gaps.length > LINES_SHOWN ? " …" : "");
	const one = gaps.length === 1;
	return (
		`${grouped(gaps.length)} row${one ? " was" : "s were"} left out for lack of a value in ` +
		`"${name}" (line${one ? "" : "s"} ${shown}).`
	);
}

// The places of the rows that have all of these values, spread evenly where they are too many.
function keptRows(features, own, lines, notices) {
	for (const {name, numbers, cells} of features) {
		const bad = cells.findIndex((cell, i) => Number.isNaN(numbers[i]) && !isMissing(cell));
		if (bad >= 0)
			throw new Error(
				`Line ${lines[bad]}, column "${name}": "${cells[bad].slice(0, 40)}" is not a number: ` +
					"correct it, leave the cell empty, or choose another column.",
			);
	}
	const lacks = (column, row) => isMissing(column.cells[row]);
	for (const column of [...features, own]) {
		const gaps = lines.filter((_, row) => lacks(column, row));
		if (gaps.length) notices.push(leftOut(column.name, gaps));
	}
	const all = lines
		.map((_, row) => row)
		.filter((row) => ![...features, own].some((column) => lacks(column, row)));
	if (!all.length) {
		const names = [...features, own].slice(0, 5).map(({name}) => `"${name}"`);
		throw new Error(`No row has a value in all of ${names.join(", ")}: fill some gaps.`);
	}
	if (all.length <= MOST_ROWS) return all;
	notices.push(`${grouped(MOST_ROWS)} of ${grouped(all.length)} rows are shown, spread evenly.`);
	const place = (i) => Math.floor((i * (all.length - 1)) / (MOST_ROWS - 1));
	return Array.from({length: MOST_ROWS}, (_, i) => all[place(i)]);
}

function checkClasses(own, labels, notices) {
	const {size} = new Set(labels);
	if (size > MOST_CLASSES)
		throw new Error(
			`The column "${own.name}" has ${grouped(size)} different values: choose a class with at ` +
				`most ${MOST_CLASSES}.`,
		);
	if (size === 1) notices.push(`All rows are of the class "${labels[0]}".`);
	// Fewer blocks of one class than half of what chance would make.
	const share = [...new Set(labels)].map((name) => labels.filter((l) => l === name).length);
	const chance = labels.length - share.reduce((sum, n) => sum + n * n, 0) / labels.length;
	const blocks = labels.filter((label, i) => label !== labels[i - 1]).length;
	if (size > 1 && labels.length >= FEWEST_IN_BLOCKS && blocks < Math.max(size + 1, chance / 2))
		notices.push(
			`The rows are sorted by class, ${counted(blocks, "block", "blocks")} in ` +
				`${grouped(labels.length)} rows: in this order a class is forgotten while the next is ` +
				"learned.",
		);
}

function checkRanges(features, columns, notices) {
	const spans = columns.map(
		(values) =>
			values.reduce((most, v) => Math.max(most, v), -Infinity) -
			values.reduce((least, v) => Math.min(least, v), Infinity),
	);
	const [most, least] = [Math.max(...spans), Math.min(...spans)];
	if (!(least > 0 && most > UNEVEN * least)) return;
	const [wide, narrow] = [most, least].map((span) => features[spans.indexOf(span)].name);
	notices.push(
		`"${wide}" ranges over ${figure(most, 3)} and "${narrow}" over ${figure(least, 3)}: ` +
			`unscaled, "${wide}" would decide almost alone.`,
	);
}

function centred(values, scale) {
	const mean = meanOf(values);
	const away = values.map((value) => value - mean);
	const deviation = Math.sqrt(meanOf(away.map((value) => value * value)));
	return scale && deviation > 0 ? away.map((value) => value / deviation) : away;
}

function rounded(value) {
	return Number(value.toFixed(5)) || 0;
}

// What is taken of a table: its columns, those chosen, notices, and points as the data of a state.
// Without choices the best are taken. `scale` gives both columns mean 0 and standard deviation 1.
export function ownTable(text, {x, y, label, directions = false, scale = true} = {}) {
	const {columns, lines, notices} = columnsOf(text);
	const named = directions ? [] : [x, y].filter(Boolean).map((name) => find("x", name, columns));
	const own = label ? find("the class", label, columns) : classColumn(columns, named);
	const pair = featureColumns(columns, own, directions ? null : x, directions ? null : y);
	const numbers = columns.filter((c) => c.kind === "number" && c !== own && !c.counts && c.clean);
	const isWide = numbers.length > 2 && numbers.length <= MOST_DIRECTIONS;
	const features = directions && isWide ? numbers : pair;
	const kept = keptRows(features, own, lines, notices);
	const labels = kept.map((row) => own.cells[row]);
	checkClasses(
		own,
		own.cells.filter((cell) => !isMissing(cell)),
		notices,
	);
	const values = features.map((column) => kept.map((row) => column.numbers[row]));
	checkRanges(features, values, notices);
	let [names, seen, about] = [features.map(({name}) => name), values, null];
	if (features === numbers && directions) {
		const found = principal(values.map((column) => centred(column, scale)));
		[names, seen] = [["direction 1", "direction 2"], found.along.map((list) => list.map(rounded))];
		const share = general(100 * found.share, 3);
		about = `The two directions hold ${share} % of the spread of ${numbers.length} columns.`;
		notices.push(about);
	} else if (scale) {
		seen = values.map((column) => centred(column, true).map(rounded));
		about = `${names.join(" and ")} are scaled: mean 0, standard deviation 1.`;
	}
	return {
		columns: columns.map(({name, kind}) => ({name, kind})),
		...{x: pair[0].name, y: pair[1].name, label: own.name, isWide, notices, about},
		data: {columns: names, rows: labels.map((name, i) => [seen[0][i], seen[1][i], name])},
	};
}
