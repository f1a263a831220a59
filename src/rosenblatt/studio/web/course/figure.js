// A studio inside a chapter, mounted when it comes near.
import {readAddress} from "../state/address.js";

const NEAR = "400px";

export class Figure {
	constructor(node, {ask, mount, isDark, editable}) {
		Object.assign(this, {node, ask, mount, isDark, editable});
		this.place = node.querySelector(".course-mount");
		this.address = node.dataset.address;
		if (!("answer" in node.dataset)) this.watch();
	}

	watch() {
		const seen = new IntersectionObserver(
			(entries) => {
				if (!entries.some(({isIntersecting}) => isIntersecting) || this.node.matches(".covered"))
					return;
				seen.disconnect();
				this.show();
			},
			{rootMargin: NEAR},
		);
		seen.observe(this.node);
		this.node.addEventListener("uncovered", () => this.show());
	}

	async show() {
		if (!this.studio) {
			const {state, shown} = readAddress(this.address);
			const parts = (this.node.dataset.parts ?? "").split(" ").filter(Boolean);
			this.studio = this.mount(this.place, {ask: this.ask, initial: state, parts});
			this.studio.shown = shown;
			this.dress();
		}
		await this.studio.ready;
		return this.studio;
	}

	// Another state in the same studio, such as a solution.
	async load(address) {
		const studio = await this.show();
		studio.remember();
		Object.assign(
			studio.state,
			{map: "none", order: "given", seed: 0, at: 0},
			readAddress(address).state,
		);
		await studio.run({fresh: true});
	}

	dress(dark = this.isDark()) {
		if (!this.studio) return;
		this.studio.appearance.chosen = dark ? "dark" : "light";
		this.studio.appearance.apply();
	}
}
