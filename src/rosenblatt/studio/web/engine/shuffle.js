// Orders that depend on the seed alone: splitmix64, in two halves of 32 bits each.

// The lower 64 bits of a product.
function product(ah, al, bh, bl) {
	const [a1, a0, b1, b0] = [al >>> 16, al & 0xffff, bl >>> 16, bl & 0xffff];
	const low = a0 * b0;
	const middle = a1 * b0 + (low >>> 16);
	const other = (middle & 0xffff) + a0 * b1;
	const carried = a1 * b1 + Math.floor(middle / 65536) + Math.floor(other / 65536);
	const high = (carried + Math.imul(ah, bl) + Math.imul(al, bh)) >>> 0;
	return [high, ((other << 16) | (low & 0xffff)) >>> 0];
}

function mixed(high, low, shift, [factorHigh, factorLow]) {
	const h = (high ^ (high >>> shift)) >>> 0;
	const l = (low ^ ((low >>> shift) | (high << (32 - shift)))) >>> 0;
	return factorHigh ? product(h, l, factorHigh, factorLow) : [h, l];
}

export class Shuffle {
	constructor(seed) {
		[this.high, this.low] = [Math.floor(seed / 2 ** 32) >>> 0, seed >>> 0];
	}

	next() {
		const low = this.low + 0x7f4a7c15;
		this.high = (this.high + 0x9e3779b9 + (low >= 2 ** 32 ? 1 : 0)) >>> 0;
		this.low = low >>> 0;
		let z = mixed(this.high, this.low, 30, [0xbf58476d, 0x1ce4e5b9]);
		z = mixed(z[0], z[1], 27, [0x94d049bb, 0x133111eb]);
		return mixed(z[0], z[1], 31, []);
	}

	// Fills an order with 0 … n - 1; n is below 2^21, so that the products are exact.
	fill(order) {
		for (let i = 0; i < order.length; i++) {
			const [high, low] = this.next();
			const j = Math.floor((high * (i + 1) + Math.floor((low * (i + 1)) / 2 ** 32)) / 2 ** 32);
			order[i] = order[j];
			order[j] = i;
		}
	}
}
