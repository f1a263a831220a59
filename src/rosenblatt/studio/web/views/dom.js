// Making elements. Text always becomes a text node, never markup.

export function el(tag, given = {}, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(given)) {
		if (value === null || value === undefined || value === false) continue;
		if (name === "on") listen(node, value);
		else if (name === "value" || name === "checked" || name === "selected") node[name] = value;
		else node.setAttribute(name, value === true ? "" : value);
	}
	node.append(...children.flat().filter((child) => child !== null && child !== undefined));
	return node;
}

export function listen(node, acts) {
	// What a finger begins may be kept from scrolling the page.
	for (const [event, act] of Object.entries(acts))
		node.addEventListener(event, act, event === "touchstart" ? {passive: false} : {});
}

// A paragraph without a look of its own, and words that stand out in one.
export function paragraph(...children) {
	return el("p", {}, ...children);
}

export function bold(words) {
	return el("b", {}, words);
}

export function row(...children) {
	return el("div", {class: "row"}, ...children);
}

// The headings of the columns of a table.
export function headRow(names) {
	const cells = names.map((name) => el("th", {scope: "col"}, name));
	return el("tr", {}, cells);
}

// A row of a table: its heading, of some parts, then its cells.
export function tableRow(heading, cells) {
	const rest = cells.map((cell) => el("td", {}, cell));
	return el("tr", {}, el("th", {scope: "row"}, ...heading), rest);
}

// A part of the page with a heading, which is also its name.
export function card(title, kind, ...children) {
	const given = {class: `card ${kind}`, "aria-label": title};
	return el("section", given, el("h2", {}, title), ...children);
}

export function press(node, isPressed) {
	node.setAttribute("aria-pressed", String(isPressed));
}

// Says of a button that it does nothing now; unlike a disabled one it keeps the focus.
export function rest(node, isResting) {
	node.setAttribute("aria-disabled", String(isResting));
}

export function svgNode(tag, given = {}, ...children) {
	const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(given)) node.setAttribute(name, value);
	node.append(...children);
	return node;
}

export function setText(node, text) {
	if (node.textContent !== text) node.textContent = text;
}

let lastId = 0;

export function freshId(stem) {
	lastId += 1;
	return `studio-${stem}-${lastId}`;
}

export function labelled(words, control, kind = "field") {
	control.id ||= freshId("control");
	return el("div", {class: kind}, el("label", {for: control.id}, words), control);
}

export function choice(options, chosen, act, given = {}) {
	const node = el("select", {...given, on: {change: () => act(node.value)}});
	for (const [value, words] of options)
		node.append(el("option", {value, selected: value === chosen}, words));
	return node;
}

export function button(words, act, given = {}) {
	return el("button", {type: "button", ...given, on: {click: act}}, words);
}

export function checkBox(checked, act) {
	return el("input", {type: "checkbox", checked, on: {change: ({target}) => act(target.checked)}});
}

// A number box tells of a change only when it holds a number; otherwise it shows the old one again.
// One that may be empty tells of that too, as null.
export function numberBox(value, act, given = {}, mayBeEmpty = false) {
	const node = el("input", {type: "number", step: "any", value: String(value ?? ""), ...given});
	let kept = value;
	const keep = () => {
		kept = node.value;
	};
	const change = () => {
		const empty = node.value.trim() === "";
		const number = empty ? NaN : Number(node.value);
		if (Number.isFinite(number)) act(number);
		else if (empty && mayBeEmpty) act(null);
		else node.value = String(kept);
	};
	listen(node, {focus: keep, change});
	return node;
}

export function saveFile(name, content, type) {
	const blob = content instanceof Blob ? content : new Blob([content], {type});
	const address = URL.createObjectURL(blob);
	const link = el("a", {href: address, download: name});
	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}
