// What was done of the course, kept in this browser and sent nowhere.
import {keep, kept} from "../views/store.js";

const KEY = "rosenblatt-course";

export const progress = {
	done(chapter) {
		return kept(KEY)?.[chapter] ?? [];
	},

	mark(chapter, block) {
		keep(KEY, {...kept(KEY), [chapter]: [...new Set([...progress.done(chapter), block])]});
	},

	forget() {
		keep(KEY, null);
	},
};
