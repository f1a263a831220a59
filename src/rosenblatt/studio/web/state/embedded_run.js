// The exported page has no server: everything it can be asked is in the file.

export function askEmbedded(stored) {
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
