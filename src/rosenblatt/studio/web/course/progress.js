// What was done of the course, kept in this browser and sent nowhere.
const KEY = "rosenblatt-course";

function read() {
	try {
		return JSON.parse(localStorage.getItem(KEY)) ?? {};
	} catch {
		return {}; // A page opened from disk may have no store; then nothing is kept.
	}
}

export const progress = {
	done(chapter) {
		return read()[chapter] ?? [];
	},

	mark(chapter, block) {
		const all = read();
		all[chapter] = [...new Set([...(all[chapter] ?? []), block])];
		try {
			localStorage.setItem(KEY, JSON.stringify(all));
		} catch {
			// As above.
		}
	},

	forget() {
		try {
			localStorage.removeItem(KEY);
		} catch {
			// As above.
		}
	},
};
