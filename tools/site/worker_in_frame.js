// Browsers start no worker for a page that was opened from disk, and the search of the site is one.
// There it runs in a frame of the page instead.
if (location.protocol === "file:") {
	window.Worker = class extends EventTarget {
		constructor(address) {
			super();
			const frame = document.createElement("iframe");
			frame.hidden = true;
			document.body.append(frame);
			const inside = frame.contentWindow;
			const load = (file) =>
				new Promise((resolve, reject) => {
					const script = inside.document.createElement("script");
					Object.assign(script, {src: file, onload: resolve, onerror: reject});
					inside.document.body.append(script);
				});
			inside.importScripts = (...files) => Promise.all(files.map(load));
			inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
			this.inside = inside;
			this.loaded = load(address);
		}

		async postMessage(data) {
			await this.loaded;
			this.inside.dispatchEvent(new MessageEvent("message", {data}));
		}

		terminate() {
			this.inside.frameElement.remove();
		}
	};
}
