// What answers the page: its server, or alone what its file carries.
import {createSession, NeedsPython} from "./engine/session.js";

// Of these the server knows more, or has the files that they need.
const OF_PYTHON = ["script", "notebook", "page"];

async function askServer(name, body) {
	let answer;
	try {
		answer = await fetch(`api/${name}`, {
			method: "POST",
			headers: {"content-type": "application/json"},
			body: JSON.stringify(body),
		});
	} catch {
		throw new Error("The studio's server does not answer; start it again with rosenblatt studio.");
	}
	const found = await answer.json().catch(() => ({}));
	if (!answer.ok || found.error)
		throw new Error(found.error?.message ?? `The server sent status ${answer.status}.`);
	return found;
}

// The engine of the page answers; what it cannot, somebody else does.
function askFirst(own, other, ofOther = []) {
	return async (name, body) => {
		if (ofOther.includes(name)) return other(name, body);
		try {
			return await own(name, body);
		} catch (error) {
			if (!(error instanceof NeedsPython)) throw error;
			return other(name, body, error);
		}
	};
}

const served = (kit) => askFirst(createSession(kit), askServer, OF_PYTHON);

// Without a server: what only Python can learn is in the file, if it was there when that was made;
// and the file itself can be written again with another state.
function alone(kit, html) {
	const own = createSession(kit);
	const asked = ({at: _, view: __, ...state}) => JSON.stringify(state);
	const stored = async (name, body, error) => {
		if (name === "page") return {text: rewritten(html, {...kit, state: body})};
		const wanted = name === "contour" ? body.state : body;
		if (!kit.run || asked(wanted) !== asked(kit.run.state)) {
			if (error.answer) return error.answer;
			throw error;
		}
		if (name === "run") return {...kit.run, state: wanted};
		const found = kit.contours?.[`${body.run}:${body.at}`];
		if (found) return found;
		throw new Error("The lines at this update are not in this file; others before and after are.");
	};
	return askFirst(own, stored);
}

// In JSON "<" may be written so, and then no label can end the element it stands in.
function rewritten(html, kit) {
	const data = JSON.stringify(kit).replaceAll("<", "\\u003c");
	const place = /(<script type="application\/json" id="studio-kit">)[^<]*/;
	return `<!doctype html>\n${html.replace(place, (_, start) => start + data)}\n`;
}

// What the page knows of the learners and the points, and whom it asks.
export async function prepare() {
	const embedded = document.getElementById("studio-kit");
	const kit = embedded ? JSON.parse(embedded.textContent) : await askServer("start", {});
	const ask = embedded ? alone(kit, document.documentElement.outerHTML) : served(kit);
	return {kit, ask};
}
