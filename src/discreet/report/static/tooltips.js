"use strict";
// Tooltips of charts: the mark nearest to the pointer shows its numbers. Without scripts, browsers show its title.
(() => {
  const NEAR = 28; // pixels
  const texts = new WeakMap(); // marks, and what they say
  const tip = document.createElement("div");
  tip.className = "tooltip";
  tip.setAttribute("aria-hidden", "true"); // the same numbers are in a table
  let shown = null;

  // Our own tooltip replaces that of the browser, which would come late and a second time.
  function marks(plot) {
    for (const title of plot.querySelectorAll("title")) {
      texts.set(title.parentNode, title.textContent);
      title.parentNode.classList.add("told");
      title.remove();
    }
    return plot.querySelectorAll(".told");
  }

  const outside = (low, at, high) => Math.max(low - at, 0, at - high);

  function distance(mark, { clientX, clientY }) {
    const { left, right, top, bottom } = mark.getBoundingClientRect();
    const across = mark.closest(".rows") ? 0 : outside(left, clientX, right);
    const up = mark.closest(".columns") ? 0 : outside(top, clientY, bottom);
    return Math.hypot(across, up);
  }

  function show(mark) {
    if (mark === shown) return;
    shown?.classList.remove("near");
    shown = mark;
    if (!mark) {
      tip.remove();
      return;
    }
    mark.classList.add("near");
    tip.textContent = texts.get(mark);
    document.body.append(tip);
    const { left, right, top, bottom } = mark.getBoundingClientRect();
    const x = (left + right - tip.offsetWidth) / 2;
    const above = top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(4, Math.min(x, document.documentElement.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${above < 4 ? bottom + 8 : above}px`;
  }

  function follow(event) {
    const plot = event.target.closest?.(".plot > svg");
    let [best, least] = [null, NEAR];
    for (const mark of plot ? marks(plot) : []) {
      const far = distance(mark, event);
      if (far < least) [best, least] = [mark, far];
    }
    show(best);
  }

  document.addEventListener("pointermove", follow);
  document.addEventListener("pointerdown", follow);
  document.addEventListener("scroll", () => show(null), { capture: true, passive: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && show(null));
})();
