// Tabs with the same title are switched together on all pages, and stay as the reader has chosen. Without this script, each
// group is switched by itself.
"use strict";
(() => {
  const { $$, storage } = window.infralens;
  const KEY = "infralens:tabs";
  const MOST = 20;

  /** The titles that were chosen, the latest last. */
  const chosen = () => {
    try {
      const kept = JSON.parse(storage.read(KEY) ?? "[]");
      return Array.isArray(kept) ? kept.filter((title) => typeof title === "string").slice(-MOST) : [];
    } catch {
      return [];
    }
  };
  const open = (title) => {
    for (const tab of $$(".tabs > details")) if (tab.firstElementChild.textContent === title) tab.open = true;
  };

  document.addEventListener("click", (event) => {
    const summary = event.target.closest?.(".tabs > details > summary");
    if (!summary) return;
    // The tab that is shown stays open.
    event.preventDefault();
    const title = summary.textContent;
    const before = summary.getBoundingClientRect().top;
    open(title);
    // Tabs above may have changed their height.
    scrollBy(0, summary.getBoundingClientRect().top - before);
    storage.write(KEY, JSON.stringify([...chosen().filter((other) => other !== title), title].slice(-MOST)));
  });
  for (const title of chosen()) open(title);
})();
