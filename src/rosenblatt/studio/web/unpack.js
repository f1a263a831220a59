// Runs the code of a page that is one file. It is deflated, and is what the page's policy names.
const OLD = "This page needs a browser of 2023 or later (Safari 16.4, Firefox 113, Chrome 93).";

if (globalThis.DecompressionStream) {
	const packed = atob(document.getElementById("studio-code").textContent);
	const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	const code = document.createElement("script");
	code.type = "module";
	code.textContent = await new Response(stream).text();
	document.body.append(code);
	// It runs all the same, and the page that is saved has it only once.
	code.remove();
} else document.getElementById("studio").textContent = OLD;
