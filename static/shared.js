// Runs on every page before the first paint, so that nothing changes under the reader's eyes. It says that scripts run, which
// colors the reader chose, and whether single keys do something. What the other scripts share is here, too.
"use strict";
(() => {
  const html = document.documentElement;

  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

  /** Fills in the names in braces: "{n} of {m}". */
  const fill = (words, values) =>
    words.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : null) ?? whole);

  /** Puts a text on the clipboard, and returns whether it is there. Where pages may not do that, the browser copies what is
      selected. */
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      const focused = /** @type {HTMLElement} */ (document.activeElement);
      area.value = text;
      area.dataset.infralensLive = "";
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand("copy");
      area.remove();
      focused?.focus({ preventScroll: true });
      return isCopied;
    }
  };

  /** What this browser keeps for the site. A browser may forbid that, and its storage may be full. */
  const storage = {
    /** Returns what is kept: null if there is nothing, undefined if that is forbidden. */
    read(key) {
      try {
        return localStorage.getItem(key);
      } catch {
        return undefined;
      }
    },
    /** Keeps a text, or removes what is kept if it is null. Returns whether that worked. */
    write(key, text) {
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
        return true;
      } catch {
        return false;
      }
    },
    /** Removes all whose keys begin with this. */
    clear(prefix) {
      try {
        for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
      } catch {
        // Forbidden: nothing is kept.
      }
    },
  };

  html.classList.add("js");
  const theme = storage.read("infralens:theme");
  if (theme === "light" || theme === "dark") html.dataset.theme = theme;
  if (storage.read("infralens:keys") === "off") html.dataset.keys = "off";
  /** The reading orders that are loaded, by track: for each page its URL, name, minutes and earlier URLs.
      A track may be called `constructor`, so this has no prototype. */
  const orders = Object.create(null);
  /** The title of the site and the labels that scripts show: `page.js` begins with them. */
  const words = {};
  window.infralens = { $, $$, copy, fill, storage, orders, words, keys: () => html.dataset.keys !== "off" };
})();
