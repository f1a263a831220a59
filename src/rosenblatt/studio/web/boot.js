// Starts the page.
import {prepare} from "./answers.js";
import {mount} from "./main.js";

const {kit, ask} = await prepare();
mount(document.getElementById("studio"), {ask, address: true, play: true, box: kit.box});
