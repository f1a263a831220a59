// The address of the page says what it shows: read at the start and when it changes, written after
// every change.
import {readAddress, writeAddress} from "../state/address.js";

const WAIT = 150;
// Browsers on phones take no longer ones.
const LONGEST = 80_000;
export const TOO_LONG =
	"These points are too many for the address, so a reload or a link is without them: to keep " +
	"them, export the studio in one file.";

export class AddressBar {
	constructor(studio) {
		this.studio = studio;
		if (studio.address) window.addEventListener("hashchange", () => this.follow());
	}

	// Whether there was an address to begin with. What it does not name has its default, not what
	// the server would start with.
	begin() {
		const {studio} = this;
		this.first = studio.state.data;
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

	// Whether the address can hold all points, or the page begins with them anyway.
	get fits() {
		const {data} = this.studio.state;
		if (data !== this.measured) {
			this.measured = data;
			const rows = this.studio.address && data?.rows?.length > LONGEST / 100 ? data.rows : [];
			this.isLong = JSON.stringify(rows).length > LONGEST;
			this.isFirst = this.isLong && JSON.stringify(data) === JSON.stringify(this.first);
		}
		return !this.isLong || this.isFirst;
	}

	write() {
		const {studio} = this;
		if (!studio.address || !studio.state.data || !studio.state.learners) return;
		clearTimeout(this.writing);
		this.writing = setTimeout(() => {
			const {fits, isFirst} = this;
			this.written = fits ? writeAddress(studio.state, studio.shown, !isFirst) : "#";
			try {
				history.replaceState(null, "", this.written);
			} catch {
				// A file opened without an address of its own cannot carry one.
			}
		}, WAIT);
	}
}
