// The foot of every page: whether the program is preparing for large files, and how far that is.

import { byId } from "./dom.js";

const AGAIN = 2000; // milliseconds
const UNDER_WAY = "Preparing for large files in the background; you can work meanwhile.";
const DONE = "Prepared for large files.";

async function follow() {
  const place = byId("preparing");
  const [bar, words] = place.children;
  const answer = await fetch("/api/preparing").catch(() => null); // the server may have stopped
  if (!answer?.ok) return;
  const { preparing, done } = await answer.json();
  if (place.hidden && !preparing) return; // nothing to tell
  bar.value = done ?? 0;
  bar.hidden = !preparing;
  const now = preparing ? UNDER_WAY : DONE;
  place.hidden = done === null;
  if (words.textContent !== now) words.textContent = now; // a screen reader says it once
  if (preparing) setTimeout(follow, AGAIN);
}

follow();
