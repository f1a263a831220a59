// Starts the studio's file with the course in it: #course=… is a chapter, all else is the studio.
import {prepare} from "./answers.js";
import {Book} from "./course/book.js";
import {mount} from "./main.js";
import {setLearners} from "./state/catalogue.js";
import {el} from "./views/dom.js";

const {kit, ask} = await prepare();
setLearners(kit.learners);
const desk = document.getElementById("studio");
const shelf = el("main", {class: "course-page"});
desk.after(shelf);

const {body} = document;
const setDark = (dark) => {
	body.classList.toggle("dark", dark);
	body.classList.toggle("light", !dark);
};
setDark(window.matchMedia("(prefers-color-scheme: dark)").matches);
const isDark = () => body.classList.contains("dark");
const templates = [...document.querySelectorAll("template[data-chapter]")];
const book = new Book(shelf, templates, {ask, mount, isDark, setDark});
let [studio, lastRead] = [null, null];

function turn() {
	const chapter = location.hash.match(/^#course=([\w-]+)/)?.[1];
	const reads = Boolean(chapter) || location.hash.length < 2;
	[shelf.hidden, desk.hidden] = [!reads, reads];
	// A studio out of sight writes no address.
	if (studio) studio.address = !reads;
	if (reads) {
		book.open(chapter ?? null);
		lastRead = chapter;
		return;
	}
	if (!studio) {
		studio = mount(desk, {ask, address: true, box: kit.box});
		desk.querySelector(".tools").prepend(el("a", {href: "#course=all"}, "Course"));
	}
	studio.fromChapter = lastRead;
}

window.addEventListener("hashchange", turn);
turn();
