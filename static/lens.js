// Code and notes: joins the two ends of a note, keeps the chosen note or lines in the address, unfolds, copies.
"use strict";
(() => {
  const app = window.infralens;
  const { $, $$, copy, keyOf, actionOf, status, words } = app;
  const byId = (id) => (id ? document.getElementById(id) : null);
  const pairOf = (node) => node.closest(".pair, .typeset");
  const [opened, hidden] = [new Set(), new Set()];
  let [active, marker, picked] = [null, null, null];
  let [hovered, focused, walked] = [null, null, null];

  // Ends of a note: its markers and bound code, the note itself, code in the prose that names the same.
  const noteAt = (node) => {
    const end = node?.closest?.(".marker, .bound[data-note], .note[id] > div, .token");
    if (!end) return null;
    if (end.matches("div")) return end.parentNode;
    if (end.hash) return byId(end.hash.slice(1));
    return $$(".notes > .note", pairOf(end))[end.dataset.note - 1];
  };
  const between = (pair, first, last) =>
    $$("[data-line]", pair).filter(({ dataset }) => +(dataset.last ?? dataset.line) >= first && +dataset.line <= last);
  const linesOf = (note) =>
    note.dataset.lines.split(" ").flatMap((range) => between(pairOf(note), ...range.split("-").map(Number)));
  const markersOf = (note) => $$(`.marker[href="#${note.id}"]`, pairOf(note));
  const mark = (state, note) => {
    for (const node of $$(`.${state}`)) node.classList.remove(state);
    if (!note) return;
    const number = $$(".notes > .note", pairOf(note)).indexOf(note) + 1;
    const ends = [...$$(".ring", note), ...$$(`.bound[data-note="${number}"]`, pairOf(note)), ...$$(`.token[href="#${note.id}"]`)];
    for (const node of [note, ...linesOf(note), ...markersOf(note), ...ends]) node.classList.add(state);
  };
  const near = () => mark("lens-near", hovered ?? focused);

  const address = (hash) => history.replaceState(history.state, "", hash ? `#${hash}` : location.pathname + location.search);
  const open = (pair) => {
    opened.add($(".excerpt", pair).id);
    pair.classList.add("open");
  };

  const isSeen = (line) => line.checkVisibility?.() ?? line.getClientRects().length;
  // What is folded can be found by the browser, and by text in an address, where browsers know that.
  const hide = () => "onbeforematch" in document && $$(".rest, .opened").forEach((node) => (node.hidden = "until-found"));
  document.addEventListener("beforematch", ({ target }) => {
    const row = target.closest(".opened")?.previousElementSibling;
    if (row) $("input", row).checked = true;
    else if (target.matches(".rest")) open(pairOf(target));
  });

  // The leader from ring to ring, which is decorative: what draws it comes with the first one.
  const lead = () => {
    for (const old of $$(".leader")) old.remove();
    const draw = () => active && app.lead(pairOf(active), marker ?? markersOf(active)[0], $(".ring", active));
    if (active) app.assist().then(draw).catch(() => {});
  };

  /** Tab stops once at each note; the links of a note follow when it is chosen. It passes links that are there twice:
      headings are in the course column, and a file has "Open starter". */
  const quiet = (from = document) => {
    for (const link of $$(".marker, .note a:not(.ring), .anchor, .excerpt a.file", from)) link.tabIndex = -1;
  };

  /** Hides the notes of an excerpt, so that readers can try first, or shows them again. */
  const hideNotes = (button, pair) => {
    const { id } = $(".excerpt", pair);
    const is = pair.classList.toggle("notes-hidden", hidden.has(id));
    button.textContent = is ? words.show_notes : words.hide_notes;
  };

  const clear = () => {
    if (active) quiet(active);
    [active, marker, picked] = [null, null, null];
    mark("lens-on");
    for (const line of $$(".lens-sel")) line.classList.remove("lens-sel");
    for (const badge of $$(".picked")) badge.hidden = true;
    lead();
  };
  const activate = (note, from) => {
    clear();
    [active, marker] = [note, from];
    for (const link of $$("a", note)) link.tabIndex = 0;
    mark("lens-on", note);
    const fold = $("details", note);
    if (fold) fold.open = true;
    lead();
  };
  /** Brings nodes into view together, if they are not; of what is too high, the top. */
  const reveal = (...nodes) => {
    // Code that stays in view moves while the page scrolls, so what is left is scrolled after that.
    for (let turn = 0; turn < 2; turn += 1) {
      const boxes = nodes.map((node) => node.getBoundingClientRect());
      const [top, bottom] = [Math.min(...boxes.map((box) => box.top)) - 72, Math.max(...boxes.map((box) => box.bottom)) + 16 - innerHeight];
      if (top < 0 || bottom > 0) scrollBy({ top: top < 0 ? top : Math.min(top, bottom), behavior: "instant" });
    }
    lead();
  };
  /** Brings a note and its code into view, sideways, too. */
  const show = (note) => {
    const pair = pairOf(note);
    const [end] = $$(".bound.lens-on", pair);
    const box = [$(".listing", pair), pair].find((node) => node?.scrollWidth > node?.clientWidth);
    if (end && box) {
      const [code, frame] = [end, box].map((node) => node.getBoundingClientRect());
      const [left, right] = [code.left - frame.left - 48, code.right - frame.right + 40];
      if (left < 0 || right > 0) box.scrollLeft += left < 0 ? left : Math.min(left, right);
    }
    reveal(linesOf(note)[0], note.firstElementChild);
  };
  const choose = (note, from) => {
    activate(note, from);
    address(note.id);
  };

  const shown = ({ dataset }) => +(dataset.local ?? dataset.line);
  // In a notebook, the id of a line begins with the name of its cell, and lines are counted in it.
  const nameOf = ({ pair, lines, first, last }) => {
    const [head, end] = [lines[0], lines.at(-1)];
    if (head.dataset.local) return head.id + (shown(end) > shown(head) ? `-L${shown(end)}` : "");
    const id = $(".excerpt", pair)?.id;
    return `${id ? `${id}-` : ""}L${first}${last > first ? `-L${last}` : ""}`;
  };
  /** Adds to the head of a listing where it shows the lines that are selected, with a button that copies a link to them. */
  const addBadge = (pair) => {
    const badge = Object.assign(document.createElement("span"), { className: "picked" });
    badge.dataset.infralensLive = "";
    const button = Object.assign(document.createElement("button"), { className: "copy-link", type: "button", textContent: words.copy_link });
    badge.append(document.createElement("span"), " ", button);
    ($("figcaption .lines", pair) ?? $(".file", pair)).after(" ", badge);
    return badge;
  };
  const pick = (pair, one, other) => {
    clear();
    const [first, last] = one < other ? [one, other] : [other, one];
    const lines = between(pair, first, last);
    if (!lines.length) return;
    picked = { pair, one, lines, first, last };
    if (lines.some((line) => line.closest(".rest"))) open(pair);
    for (const line of lines) line.classList.add("lens-sel");
    const badge = $(".picked", pair) ?? addBadge(pair);
    badge.hidden = false;
    const [from, to] = lines[0].dataset.local ? [lines[0], lines.at(-1)].map(shown) : [first, last];
    badge.firstElementChild.textContent = first < last ? `${words.lines} ${from}–${to}` : `${words.line} ${from}`;
    return lines[0];
  };

  /** Moves the selection from line to line; with Shift it grows. */
  const walk = (pair, down, grows) => {
    const lines = $$(".line", pair).filter(isSeen);
    const before = picked?.pair === pair ? picked : null;
    const at = before && String(before.one === before.first ? before.last : before.first);
    const seen = lines.findIndex((line) => line.getBoundingClientRect().top > 72);
    const from = before ? lines.findIndex(({ dataset }) => dataset.line === at) + (down ? 1 : -1) : seen;
    const line = lines[Math.min(Math.max(from, 0), lines.length - 1)];
    pick(pair, before && grows ? before.one : +line.dataset.line, +line.dataset.line);
    address(nameOf(picked));
    reveal(line);
    status.textContent = `${$(".picked > span", pair).textContent}: ${code(line).trim()}`;
  };

  // What the address names: a note, a line, or lines, which need no element of that name.
  const follow = (scroll) => {
    const id = location.hash.slice(1);
    const named = byId(id);
    const note = named?.matches(".note[data-lines]") ? named : named?.matches(".bound") && noteAt(named);
    const lines = /^(?:(E\d+)-)?(?:.+?-)??[LS](\d+)(?:-L(\d+))?$/.exec(id);
    if (note) {
      activate(note);
      if (scroll) show(note);
    } else if (lines) {
      const [, excerpt, first, last = first] = lines;
      const head = byId(id.replace(/(L\d+)-L\d+$/, "$1"));
      const figure = head?.dataset.local ? head : excerpt ? byId(excerpt) : $(".excerpt.whole, .typeset");
      const at = +(head?.dataset.local ? head.dataset.line : first);
      const line = figure && pick(pairOf(figure), at, at + (+last - +first));
      if (scroll && !named) line?.scrollIntoView();
    } else clear();
  };

  const copyFrom = async (button, text) => {
    const said = (await copy(text)) ? words.copied : words.not_copied;
    const { name = button.textContent } = button.dataset;
    button.dataset.name = name;
    button.textContent = status.textContent = said;
    setTimeout(() => {
      button.textContent = name;
      status.textContent = "";
    }, 2000);
  };
  const code = (line) => line.textContent.replace(/\n$/, "");

  document.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!target.closest || event.ctrlKey || event.metaKey || event.altKey || !pairOf(target)) return;
    const pair = pairOf(target);
    // Lines that the excerpt leaves out are copied if they are open.
    const isShown = (line) => !line.closest(".opened") || isSeen(line);
    if (target.matches(".copy")) copyFrom(target, target.dataset.text ?? `${$$(".line", pair).filter(isShown).map(code).join("\n")}\n`);
    else if (target.matches(".copy-link")) copyFrom(target, location.href);
    else if (target.matches(".hide-notes")) {
      const { id } = $(".excerpt", pair);
      if (!hidden.delete(id)) hidden.add(id);
      hideNotes(target, pair);
    }
    else if (target.matches(".unfold")) {
      open(pair);
      $(".part.rest .line", pair).scrollIntoView({ block: "nearest" });
      $(".listing", pair).focus({ preventScroll: true });
      lead();
    } else if (target.matches(".no")) {
      if (!event.shiftKey || picked?.pair !== pair) return;
      event.preventDefault();
      pick(pair, picked.one, +target.dataset.at);
      address(nameOf(picked));
    } else if (target.matches(".line") && !target.closest("[data-numbers]") && event.clientX < target.getBoundingClientRect().x + parseFloat(getComputedStyle(target).paddingLeft)) {
      getSelection().removeAllRanges();
      const number = +target.dataset.line;
      const before = picked?.pair === pair ? picked : null;
      if (before?.first === number && before.last === number) clear();
      else pick(pair, event.shiftKey && before ? before.one : number, number);
      address(picked ? nameOf(picked) : "");
    } else {
      const note = noteAt(target);
      const end = target.closest("a");
      // A note that is open is folded by its first line.
      if (target.closest("details[open] > summary")) return;
      if (!note || (end ? !end.matches(".marker, .ring, .back") : !getSelection().isCollapsed)) return;
      choose(note, end?.matches(".marker") ? end : null);
      // Code that is clicked lights its note, and nothing moves.
      if (end) show(note);
      event.preventDefault();
    }
  });

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const key = keyOf(event);
    const taken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey;
    if (taken || target.closest?.("input, textarea, select, [contenteditable]") || $("dialog[open]")) return;
    const step = { next: 1, previous: -1 }[String(actionOf(event))];
    const listing = walked && target.closest?.(".pair .listing");
    if (listing && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault();
      walk(pairOf(listing), key === "ArrowDown", event.shiftKey);
    } else if (listing && key === "Enter" && picked) {
      const [line] = between(picked.pair, picked.one, picked.one);
      const note = $$(".note[data-lines]", picked.pair).find((note) => linesOf(note).includes(line));
      if (!note) return;
      choose(note);
      show(note);
      $(".ring", note).focus({ preventScroll: true });
    } else if (key === "Escape" && (active || picked)) {
      clear();
      address("");
    } else if (step) {
      const notes = $$(".note[data-lines]:not(.tabs > :not([open]) *)");
      const below = notes.findIndex((note) => note.firstElementChild.getBoundingClientRect().bottom > 72);
      const from = active ? notes.indexOf(active) : (below < 0 ? notes.length : below) - (step > 0 ? 1 : 0);
      const note = notes[Math.min(Math.max(from + step, 0), notes.length - 1)];
      if (!note) return;
      // In Firefox, a key may also search the page.
      event.preventDefault();
      choose(note);
      show(note);
      $(".ring", note).focus({ preventScroll: true });
    }
  });

  document.addEventListener("mouseover", ({ target }) => {
    const note = noteAt(target);
    if (note === hovered) return;
    hovered = note;
    near();
  });
  const focus = ({ type, target }) => {
    focused = type === "focusin" && target.matches(".marker, .note a, .token") ? noteAt(target) : null;
    // Arrow keys select lines where a key has led: after a click on code they scroll, as on any page.
    walked = target.matches(".listing:focus-visible");
    near();
  };
  document.addEventListener("focusin", focus);
  document.addEventListener("focusout", focus);

  let waiting = 0;
  const redraw = () => {
    cancelAnimationFrame(waiting);
    if (active) waiting = requestAnimationFrame(lead);
  };
  addEventListener("resize", redraw);
  document.addEventListener("toggle", redraw, true);
  document.addEventListener("change", () => {
    hide();
    redraw();
  });
  addEventListener("scroll", redraw, { passive: true });
  addEventListener("hashchange", () => follow(true));
  document.addEventListener("infralens:update", () => {
    for (const id of opened) byId(id)?.closest(".pair").classList.add("open");
    for (const button of $$(".hide-notes")) hideNotes(button, pairOf(button));
    hide();
    quiet();
    follow(false);
  });
  app.lens = {
    activate,
    linesOf,
    choose: (note) => {
      choose(note);
      show(note);
    },
  };
  hide();
  quiet();
  // After a reload or Back, the browser knows where on the page its reader was.
  follow(!performance.navigation.type);
})();
