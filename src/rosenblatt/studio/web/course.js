// Makes the course of a site live: the chapter is in the page already.
import {Chapter} from "./course/chapter.js";
import {createSession} from "./engine/session.js";
import {mount} from "./main.js";
import {setLearners} from "./state/catalogue.js";

const root = document.querySelector(".md-content__inner");
const kit = globalThis.rosenblattKit;
setLearners(kit.learners);

const isDark = () => document.body.getAttribute("data-md-color-scheme") === "slate";
const name = location.pathname.match(/([\w-]+)(?:\.html|\/)?$/)?.[1] ?? "";
const chapter = new Chapter(root, name, {ask: createSession(kit), mount, isDark});
new MutationObserver(() => chapter.dress()).observe(document.body, {
	attributeFilter: ["data-md-color-scheme"],
});
