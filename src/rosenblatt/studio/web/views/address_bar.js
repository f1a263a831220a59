// The address of the page says what it shows: read at the start and when it changes, written after
// every change.
import {readAddress, writeAddress} from "../state/address.js";

const WAIT = 150;

export class AddressBar {
	constructor(studio) {
		this.studio = studio;
		if (studio.address) window.addEventListener("hashchange", () => this.follow());
	}

	// Whether there was an address to begin with. What it does not name has its default, not what
	// the server would start with.
	begin() {
		const {studio} = this;
		const read = studio.address ? readAddress(location.hash) : null;
		if (!read) return false;
		const {data, learners} = read.state;
		const own = studio.state;
		studio.begin(
			{
				...(data ? {} : {data: own.data}),
				...(learners || data ? {} : {learners: own.learners}),
				...read.state,
			},
			read.shown,
		);
		return true;
	}

	async follow() {
		if (location.hash === this.written) return;
		const read = readAddress(location.hash);
		if (!read) return;
		this.studio.remember();
		this.studio.begin(read.state, read.shown);
		await this.studio.run({fresh: true});
	}

	write() {
		const {studio} = this;
		if (!studio.address || !studio.state.data || !studio.state.learners) return;
		clearTimeout(this.writing);
		this.writing = setTimeout(() => {
			this.written = writeAddress(studio.state, studio.shown);
			try {
				history.replaceState(null, "", this.written);
			} catch {
				// A file opened without an address of its own cannot carry one.
			}
		}, WAIT);
	}
}
