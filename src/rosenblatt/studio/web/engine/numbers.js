// Numbers and vectors as people write them.

export function figure(number, digits = 4) {
	if (number === null || number === undefined) return "–";
	if (!Number.isFinite(number))
		return Number.isNaN(number) ? "not a number" : number > 0 ? "∞" : "−∞";
	if (number === 0) return "0";
	const size = Math.abs(number);
	let text =
		Number.isInteger(number) && size < 1e7
			? String(size)
			: size >= 1e7 || size < 1e-4
				? size.toExponential(Math.max(0, digits - 2))
				: String(Number(size.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1))));
	text = text.replace("e-", "·10^−").replace("e+", "·10^");
	return number < 0 ? `−${text}` : text;
}

export function signed(number) {
	return number > 0 ? `+${figure(number)}` : figure(number);
}

export function vector(numbers) {
	return `(${Array.from(numbers, (number) => figure(number)).join(", ")})`;
}

// A factor or summand below zero stands in brackets: 2 + (−1).
export function bracketed(number) {
	return number < 0 ? `(${figure(number)})` : figure(number);
}

// Thousands in groups: 12,345.
export function grouped(number) {
	return number.toLocaleString("en");
}

export function counted(number, one, many) {
	return `${grouped(number)} ${number === 1 ? one : many}`;
}

export function shortened(text, most = 24) {
	const line = text.split(/\s+/).filter(Boolean).join(" ") || "(empty)";
	return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

export function clamped(number, low, high) {
	return Math.max(low, Math.min(high, number));
}

// Rounds to a step that a person would have typed.
export function roundedTo(number, step) {
	const places = clamped(Math.ceil(-Math.log10(step) + 0.001), 0, 12);
	const value = Number((Math.round(number / step) * step).toFixed(places));
	return value === 0 ? 0 : value;
}

// A step of 1, 2 or 5 times a power of ten that cuts the span into about so many parts.
export function niceStep(span, parts) {
	const rough = span / Math.max(1, parts);
	const power = 10 ** Math.floor(Math.log10(rough || 1));
	const share = rough / power;
	return power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
}

// A number as `%.4g` of other languages has it.
export function general(number, digits) {
	if (number === 0 || !Number.isFinite(number)) return String(number);
	const [mantissa, power] = number.toExponential(digits - 1).split("e");
	const exponent = Number(power);
	if (exponent >= -4 && exponent < digits) return String(Number(number.toPrecision(digits)));
	const sign = exponent < 0 ? "-" : "+";
	return `${Number(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
