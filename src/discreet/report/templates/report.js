"use strict";
// The lists that are packed into this page are unfolded here; they may have any length.
// Without a browser that can, or without scripts at all, every number still stands in the tables of the page.
(() => {
  const PAGE = 50;
  const canUnpack = typeof DecompressionStream === "function";

  async function unpacked(element) {
    const letters = atob(element.textContent.trim());
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  }

  // The columns are those of report/packed.py.
  function listing(buffer) {
    let at = 0;
    const numbers = (many) => {
      const column = new Uint32Array(buffer, at, many);
      at += 4 * many;
      return column;
    };
    const size = numbers(1)[0];
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at, size)));
    at += size;
    const sum = (column) => column.reduce((total, value) => total + value, 0);
    const lengths = numbers(head.tops);
    const items = numbers(sum(lengths));
    const perTop = numbers(head.tops);
    const low = numbers(head.findings);
    const high = numbers(head.findings);
    const masks = new Uint32Array(buffer, at);
    const topStarts = new Uint32Array(head.tops);
    const topOf = new Uint32Array(head.findings);
    const maskStarts = new Uint32Array(head.findings);
    for (let top = 0, item = 0, finding = 0, mask = 0; top < head.tops; top += 1) {
      topStarts[top] = item;
      item += lengths[top];
      for (let many = perTop[top]; many > 0; many -= 1) {
        topOf[finding] = top;
        maskStarts[finding] = mask;
        mask += (lengths[top] + 31) >>> 5;
        finding += 1;
      }
    }
    // The higher half holds the sign: of people fewer, the count is below 0.
    const count = (finding) => low[finding] + (high[finding] | 0) * 2 ** 32;
    const codes = (top) => items.subarray(topStarts[top], topStarts[top] + lengths[top]);
    return {
      labels: head.labels,
      many: head.findings,
      tops: head.tops,
      topOf,
      codes,
      count,
      people: (finding) => Math.abs(count(finding)),
      size: (finding) => lengths[topOf[finding]],
      split: (finding) => {
        const held = [];
        const lacked = [];
        codes(topOf[finding]).forEach((code, place) => {
          const isHeld = (masks[maskStarts[finding] + (place >>> 5)] >>> (place & 31)) & 1;
          (isHeld ? held : lacked).push(head.labels[code]);
        });
        return { held, lacked };
      },
    };
  }

  const ORDERS = {
    worst: (list) => (one, two) => list.people(one) - list.people(two) || list.size(one) - list.size(two) || one - two,
    largest: (list) => (one, two) => list.people(two) - list.people(one) || list.size(one) - list.size(two) || one - two,
    shortest: (list) => (one, two) => list.size(one) - list.size(two) || list.people(one) - list.people(two) || one - two,
    longest: (list) => (one, two) => list.size(two) - list.size(one) || list.people(one) - list.people(two) || one - two,
  };

  // Each word must be part of the label of an item that a finding speaks of; capitals do not matter.
  function matching(list, text) {
    const words = text.toLowerCase().split(/[\s,;]+/).filter(Boolean);
    if (!words.length) return null;
    const lower = list.labels.map((label) => label.toLowerCase());
    const found = words.map((word) => lower.map((label) => label.includes(word)));
    const tops = new Uint8Array(list.tops);
    for (let top = 0; top < list.tops; top += 1) {
      const codes = list.codes(top);
      tops[top] = found.every((hits) => codes.some((code) => hits[code])) ? 1 : 0;
    }
    return tops;
  }

  function cell(kind, text, isNumber) {
    const element = document.createElement(kind);
    if (kind === "th") element.scope = "row";
    if (isNumber) element.className = "number";
    element.textContent = text;
    return element;
  }

  function names(labels, nothing) {
    const element = document.createElement("td");
    labels.forEach((label, place) => {
      if (place) element.append(", ");
      const name = document.createElement("bdi");
      name.textContent = label;
      element.append(name);
    });
    if (!labels.length) element.textContent = nothing;
    return element;
  }

  async function showList(section) {
    const list = listing(await unpacked(section.querySelector("script")));
    const search = section.querySelector("input[type=search]");
    const order = section.querySelector("select");
    const [first, before, after, last] = section.querySelectorAll(".pager button");
    const where = section.querySelector(".where");
    const body = section.querySelector("tbody");
    const lacks = section.dataset.lacks === "true";
    const sign = section.dataset.signed === "true" ? { signDisplay: "exceptZero" } : {};
    let chosen = [];
    let page = 0;

    const write = () => {
      const pages = Math.max(1, Math.ceil(chosen.length / PAGE));
      page = Math.min(Math.max(0, page), pages - 1);
      body.replaceChildren(
        ...chosen.slice(page * PAGE, (page + 1) * PAGE).map((finding) => {
          const { held, lacked } = list.split(finding);
          const line = document.createElement("tr");
          line.append(cell("th", list.count(finding).toLocaleString("en", sign), true), names(held, lacks ? "(anything)" : "(every row)"));
          if (lacks) line.append(names(lacked, "(nothing)"));
          return line;
        }),
      );
      const numbers = chosen.length
        ? `${(page * PAGE + 1).toLocaleString("en")} to ${Math.min(chosen.length, (page + 1) * PAGE).toLocaleString("en")} of `
        : "";
      const of = chosen.length === list.many ? "" : `, out of ${list.many.toLocaleString("en")}`;
      where.textContent = `${numbers}${chosen.length.toLocaleString("en")}${of}`;
      first.disabled = before.disabled = page === 0;
      after.disabled = last.disabled = page === pages - 1;
    };
    const choose = () => {
      const tops = matching(list, search.value);
      chosen = [];
      for (let finding = 0; finding < list.many; finding += 1) {
        if (!tops || tops[list.topOf[finding]]) chosen.push(finding);
      }
      chosen.sort(ORDERS[order.value](list));
      page = 0;
      write();
    };
    const turn = (button, to) => button.addEventListener("click", () => {
      page = to();
      write();
    });
    turn(first, () => 0);
    turn(before, () => page - 1);
    turn(after, () => page + 1);
    turn(last, () => Infinity);
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(choose, 150);
    });
    order.addEventListener("change", choose);
    choose();
    section.querySelector(".scripts").hidden = true;
    section.querySelectorAll("[data-unfold]").forEach((element) => { element.hidden = false; });
    section.dataset.ready = "true";
  }

  if (canUnpack) document.querySelectorAll(".list").forEach(showList);
})();
