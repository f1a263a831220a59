// Starts the page: with its server, or from the run that an exported file carries.
import {mount} from "./main.js";

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

// An exported page has no server: everything it can be asked is in the file.
function askEmbedded(stored) {
	return async (name, body) => {
		if (name === "start") return {state: stored.state, learners: stored.learners};
		if (name === "run") return stored.run;
		if (name === "contour") {
			const found = stored.contours?.[`${body.run}:${body.at}`];
			if (found) return found;
			throw new Error(
				"The lines at this update are not in this file; others before and after it are.",
			);
		}
		throw new Error("This file only replays a run. Open the studio to change it.");
	};
}

const embedded = document.getElementById("studio-run");
const storedRun = embedded && JSON.parse(embedded.textContent);

const replayed = storedRun && {
	ask: askEmbedded(storedRun),
	initial: storedRun.state,
	offline: true,
	box: storedRun.box,
};
mount(document.getElementById("studio"), {ask: askServer, address: true, ...replayed});
