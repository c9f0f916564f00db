// Every page: the state of the steps, the preparation of large files, and files that are dropped anywhere.

import "./preparing.js";
import { byId } from "./dom.js";
import { arrive, dropRegion } from "./drop.js";
import * as state from "./state.js";
import { showSteps } from "./steps.js";

state.follow();
showSteps();
if (!document.querySelector("[data-drop]")) dropRegion(document.body, (files) => arrive(files, byId("drop-work")));
