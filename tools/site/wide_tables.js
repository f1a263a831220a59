// The theme lets wide tables scroll; so that keys can scroll them too, they can have the focus.
window.addEventListener("load", () => {
	for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
});
