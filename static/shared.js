// Runs on every page before the first paint, so that nothing changes under the reader's eyes. It says that scripts run, which
// colors the reader chose, and whether single keys do something. What the other scripts share is here, too.
"use strict";
(() => {
  const html = document.documentElement;

  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

  /** Fills in the names in braces: "{n} of {m}". Words with several forms are JSON; the language says which form `n` has. */
  const fill = (words, values) => {
    const forms = words[1] === '"' && JSON.parse(words);
    const form = forms ? (forms[new Intl.PluralRules([html.lang, "en"]).select(values.n)] ?? forms.other) : words;
    return form.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : null) ?? whole);
  };

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

  // What some scripts show is hidden until they have come. If one does not come, or not soon, the page is as it is without any.
  html.classList.add("js");
  const undress = () => html.classList.remove("js");
  addEventListener("error", ({ target }) => target.defer && undress(), true);
  setTimeout(() => performance.timing.domContentLoadedEventStart || undress(), 5000);
  /** Shows what the reader has chosen, here or in another tab. Where that cannot be read, the page keeps what it shows. */
  const restore = () => {
    for (const name of ["theme", "keys"]) {
      const kept = storage.read(`infralens:${name}`);
      if (kept) html.dataset[name] = kept;
      else if (kept === null) delete html.dataset[name];
    }
  };
  restore();
  /** The key that was pressed: its letter, or where that is of another script, the Latin one of its place, as in `KeyK`. */
  const keyOf = ({ key = "", code = "" }) =>
    /^[ -~]*$/.test(key) ? key : code === "Slash" ? "/" : code.slice(-1).toLowerCase();
  /** What a single key stands for in the list of shortcuts, unless the reader has switched them off. */
  const keys = () => html.dataset.keys !== "off";
  const actionOf = (event) => keys() && !event.ctrlKey && !event.metaKey && !event.altKey && window.infralens.words.keys[keyOf(event)];
  /** The reading orders that are loaded, by track: for each page its URL, name, minutes and earlier URLs.
      A track may be called `constructor`, so this has no prototype. */
  const orders = Object.create(null);
  /** The labels that scripts show: `page.js` begins with them. */
  const words = {};
  window.infralens = { $, $$, copy, fill, storage, orders, words, restore, keyOf, keys, actionOf };
})();
