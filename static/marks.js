// On a site whose changes are marked: steps from change to change, also to those of other pages.
"use strict";
(() => {
  const { $, $$, keys, keyOf } = window.infralens;
  const bar = $(".changes");
  const steps = $$(".step", bar);
  const isHere = ({ pathname }) => pathname === location.pathname;
  const BY = { p: -1, n: 1 };
  const place = Object.assign(document.createElement("output"), { className: "place" });

  /** Which change the address names; -1 if it names none. */
  const current = () => steps.findIndex((step) => isHere(step) && step.hash === location.hash);
  const show = () => {
    const at = current();
    place.textContent = at < 0 ? "" : `${at + 1} / ${steps.length}`;
    for (const [index, step] of steps.entries()) step.ariaCurrent = index === at ? "true" : null;
  };
  const go = (by) => {
    const at = current();
    // From elsewhere on a page, the first of its changes is next.
    const own = steps.findIndex(isHere);
    const from = at < 0 && own >= 0 && by > 0 ? own - 1 : Math.max(at < 0 ? own : at, by > 0 ? -1 : 0);
    const to = steps[(from + by + steps.length) % steps.length];
    $("details", bar).open = false;
    if (to === steps[at]) $(location.hash).focus();
    else location.assign(to.href);
  };

  if (steps.length) {
    for (const [name, key] of [["previous", "p"], ["next", "n"]]) {
      const button = Object.assign(document.createElement("button"), { type: "button", title: bar.dataset[name] });
      const letter = Object.assign(document.createElement("kbd"), { textContent: key, ariaHidden: "true" });
      button.setAttribute("aria-keyshortcuts", key);
      button.append(bar.dataset[name], letter);
      button.addEventListener("click", () => go(BY[key]));
      bar.append(button);
    }
  }
  bar.append(place);
  show();
  addEventListener("hashchange", show);

  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && target.closest?.(".change")) target.blur();
    const isTaken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !keys();
    if (isTaken || !steps.length || target.closest?.("input, textarea, select, [contenteditable]") || $("dialog[open]")) return;
    const by = BY[keyOf(event)];
    if (by) go(by);
  });
})();
