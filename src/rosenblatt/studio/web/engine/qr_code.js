// A text as a QR code of level L, in bytes: rows of true (dark) and false. After ISO/IEC 18004.

// Of each version, from 1: code words for correction in a block, and how many blocks there are.
const CHECKS = [
	7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26,
	28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];
const BLOCKS = [
	1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15,
	16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
];
const MASKS = [
	(r, c) => (r + c) % 2,
	(r) => r % 2,
	(_, c) => c % 3,
	(r, c) => (r + c) % 3,
	(r, c) => ((r >> 1) + Math.floor(c / 3)) % 2,
	(r, c) => ((r * c) % 2) + ((r * c) % 3),
	(r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2,
	(r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2,
];

// The field of 256 elements: powers of 2, and their logarithms.
const POWER = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i += 1) {
	POWER[i] = POWER[i + 255] = x;
	LOG[x] = i;
	x = (x << 1) ^ (x & 128 ? 0x11d : 0);
}

function product(a, b) {
	return a && b ? POWER[LOG[a] + LOG[b]] : 0;
}

// The rest of a division by (x − 1)(x − 2)(x − 4)…: the code words for correction.
function checksOf(data, count) {
	let divisor = [1];
	for (let i = 0; i < count; i += 1) {
		const next = [...divisor, 0];
		for (let j = 0; j < divisor.length; j += 1) next[j + 1] ^= product(divisor[j], POWER[i]);
		divisor = next;
	}
	const rest = new Uint8Array(count);
	for (const word of data) {
		const factor = word ^ rest[0];
		rest.copyWithin(0, 1);
		rest[count - 1] = 0;
		for (let j = 0; j < count; j += 1) rest[j] ^= product(divisor[j + 1], factor);
	}
	return rest;
}

function marksAcross(version) {
	return version < 2 ? 0 : Math.floor(version / 7) + 2;
}

// All code words of a version, those for correction among them.
function wordsOf(version) {
	const across = marksAcross(version);
	const marks = across ? (25 * across - 10) * across - 55 : 0;
	return ((16 * version + 128) * version + 64 - marks - (version < 7 ? 0 : 36)) >> 3;
}

function dataWords(version) {
	return wordsOf(version) - CHECKS[version - 1] * BLOCKS[version - 1];
}

function versionFor(length) {
	for (let version = 1; version <= 40; version += 1)
		if (length + (version < 10 ? 2 : 3) <= dataWords(version)) return version;
	return null;
}

function encoded(bytes, version) {
	const bits = [];
	const put = (value, count) => {
		for (let i = count - 1; i >= 0; i -= 1) bits.push((value >> i) & 1);
	};
	put(4, 4);
	put(bytes.length, version < 10 ? 8 : 16);
	for (const byte of bytes) put(byte, 8);
	const room = 8 * dataWords(version);
	put(0, Math.min(4, room - bits.length));
	put(0, -bits.length & 7);
	for (let pad = 0xec; bits.length < room; pad ^= 0xfd) put(pad, 8);
	return Uint8Array.from({length: room / 8}, (_, i) =>
		bits.slice(8 * i, 8 * i + 8).reduce((word, bit) => (word << 1) | bit, 0),
	);
}

// Blocks of nearly equal length with their checks, interleaved: word by word from each.
function interleaved(data, version) {
	const [checks, blocks] = [CHECKS[version - 1], BLOCKS[version - 1]];
	const short = Math.floor(data.length / blocks);
	const longer = data.length % blocks;
	const parts = [];
	for (let i = 0, from = 0; i < blocks; i += 1) {
		const length = short + (i < blocks - longer ? 0 : 1);
		parts.push(data.slice(from, from + length));
		from += length;
	}
	const words = [];
	for (let i = 0; i <= short; i += 1)
		for (const part of parts) if (i < part.length) words.push(part[i]);
	const ends = parts.map((part) => checksOf(part, checks));
	for (let i = 0; i < checks; i += 1) for (const end of ends) words.push(end[i]);
	return words;
}

class Board {
	constructor(version) {
		this.version = version;
		this.size = 17 + 4 * version;
		const empty = () => Array.from({length: this.size}, () => new Array(this.size).fill(false));
		[this.dark, this.fixed] = [empty(), empty()];
		this.patterns();
	}

	set(r, c, dark) {
		[this.dark[r][c], this.fixed[r][c]] = [Boolean(dark), true];
	}

	patterns() {
		const {size, version} = this;
		for (let i = 0; i < size; i += 1) {
			this.set(6, i, i % 2 === 0);
			this.set(i, 6, i % 2 === 0);
		}
		for (const [r, c] of [
			[3, 3],
			[3, size - 4],
			[size - 4, 3],
		])
			this.square(r, c, 4);
		const places = this.markPlaces();
		const last = places.length - 1;
		places.forEach((r, i) => {
			places.forEach((c, j) => {
				const isCorner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
				if (!isCorner) this.square(r, c, 2);
			});
		});
		this.format(0);
		if (version >= 7) {
			const bits = (version << 12) | divided(version << 12, 0x1f25, 12);
			for (let i = 0; i < 18; i += 1) {
				const [a, b] = [Math.floor(i / 3), size - 11 + (i % 3)];
				this.set(a, b, (bits >> i) & 1);
				this.set(b, a, (bits >> i) & 1);
			}
		}
	}

	// Rings around a place: dark, light, dark, and the edge around a corner is light.
	square(r, c, reach) {
		for (let dr = -reach; dr <= reach; dr += 1)
			for (let dc = -reach; dc <= reach; dc += 1) {
				const ring = Math.max(Math.abs(dr), Math.abs(dc));
				const isInside = r + dr >= 0 && r + dr < this.size && c + dc >= 0 && c + dc < this.size;
				if (isInside) this.set(r + dr, c + dc, reach === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
			}
	}

	markPlaces() {
		const across = marksAcross(this.version);
		if (!across) return [];
		const apart =
			this.version === 32 ? 26 : Math.ceil((4 * this.version + 4) / (2 * across - 2)) * 2;
		const places = [];
		for (let at = this.size - 7; places.length < across - 1; at -= apart) places.unshift(at);
		return [6, ...places];
	}

	// Level L is 01; which mask was taken stands there twice.
	format(mask) {
		const value = 8 | mask;
		const bits = ((value << 10) | divided(value << 10, 0x537, 10)) ^ 0x5412;
		const {size} = this;
		for (let i = 0; i < 15; i += 1) {
			const bit = (bits >> i) & 1;
			const down = i < 6 ? i : i < 8 ? i + 1 : size - 15 + i;
			const along = i < 8 ? size - 1 - i : i < 9 ? 7 : 14 - i;
			this.set(down, 8, bit);
			this.set(8, along, bit);
		}
		this.set(size - 8, 8, true);
	}

	// Words go up and down in pairs of columns, from the right; the column of dots is skipped.
	fill(words) {
		const {size} = this;
		let i = 0;
		for (let right = size - 1; right >= 1; right -= 2) {
			if (right === 6) right = 5;
			for (let step = 0; step < size; step += 1)
				for (const c of [right, right - 1]) {
					const r = ((right + 1) & 2) === 0 ? size - 1 - step : step;
					if (this.fixed[r][c] || i >= 8 * words.length) continue;
					this.dark[r][c] = ((words[i >> 3] >> (7 - (i & 7))) & 1) === 1;
					i += 1;
				}
		}
	}

	masked(mask) {
		this.format(mask);
		return this.dark.map((row, r) =>
			row.map((dark, c) => (!this.fixed[r][c] && MASKS[mask](r, c) === 0 ? !dark : dark)),
		);
	}
}

function divided(value, divisor, degree) {
	let rest = value;
	for (let bit = 31 - Math.clz32(rest); bit >= degree; bit = 31 - Math.clz32(rest))
		rest ^= divisor << (bit - degree);
	return rest;
}

// What makes a code hard to read: runs, blocks, patterns like a corner, too much of one colour.
function penalty(rows) {
	const lines = [...rows, ...rows.map((_, c) => rows.map((row) => row[c]))];
	let sum = 0;
	for (const line of lines) {
		const text = line.map(Number).join("");
		for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
		sum += 40 * (text.match(/(?=00001011101|10111010000)/g) ?? []).length;
	}
	for (let r = 1; r < rows.length; r += 1)
		for (let c = 1; c < rows.length; c += 1)
			if (new Set([rows[r][c], rows[r - 1][c], rows[r][c - 1], rows[r - 1][c - 1]]).size === 1)
				sum += 3;
	const share = rows.flat().filter(Boolean).length / rows.length ** 2;
	return sum + 10 * Math.floor(Math.abs(share * 100 - 50) / 5);
}

// Null if the text is too long for any code. `mask` is for tests; otherwise the best is taken.
export function qrCode(text, mask = null) {
	const bytes = new TextEncoder().encode(text);
	const version = versionFor(bytes.length);
	if (version === null) return null;
	const board = new Board(version);
	board.fill(interleaved(encoded(bytes, version), version));
	if (mask !== null) return board.masked(mask);
	const all = MASKS.map((_, i) => board.masked(i));
	const costs = all.map(penalty);
	return all[costs.indexOf(Math.min(...costs))];
}
