// Starts the page: with its server, or from the run that an exported file carries.
import {mount} from "./main.js";
import {askEmbedded} from "./state/embedded_run.js";

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

const embedded = document.getElementById("studio-run");
const storedRun = embedded && JSON.parse(embedded.textContent);

const replayed = storedRun && {
	ask: askEmbedded(storedRun),
	initial: storedRun.state,
	offline: true,
	box: storedRun.box,
};
mount(document.getElementById("studio"), {ask: askServer, address: true, ...replayed});
