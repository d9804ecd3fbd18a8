// The glossary: a field that leaves the terms which have what is typed, in their names or definitions. Without this script,
// the page has all of them.
"use strict";
(() => {
  const { $, $$, fill } = window.infralens;
  /** A text as it is compared: without accents and capitals. */
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  /** The entries: terms with what follows them, as far as the next term. */
  const entries = () => {
    const found = [];
    for (const node of $$("main dl > *")) {
      const isNew = node.matches("dt") && !node.previousElementSibling?.matches("dt");
      if (isNew || !found.length) found.push([]);
      found.at(-1).push(node);
    }
    return found;
  };

  /** The place of each entry in the alphabet. */
  const first = new Map();
  const filter = () => {
    const field = $(".sift input");
    if (!field) return;
    const words = plain(field.value).split(/\s+/).filter(Boolean);
    const all = entries();
    all.forEach(([node]) => first.has(node) || first.set(node, first.size));
    let count = 0;
    const rank = new Map();
    for (const nodes of all) {
      const of = (selector) => plain(nodes.filter((node) => node.matches(selector)).map(({ textContent }) => textContent).join(" "));
      const [names, text] = [of("dt"), of(":not(.mentions)")];
      const isShown = words.every((word) => text.includes(word));
      for (const node of nodes) node.hidden = !isShown;
      count += Number(isShown);
      // What is called so comes before what is explained so.
      rank.set(nodes, words.length ? [names.startsWith(words[0]), words.every((word) => names.includes(word))].filter((is) => !is).length : 0);
    }
    for (const list of new Set(all.map(([node]) => node.parentNode))) {
      const own = all.filter(([node]) => node.parentNode === list);
      const sorted = own.toSorted((a, b) => rank.get(a) - rank.get(b) || first.get(a[0]) - first.get(b[0]));
      if (sorted.some((nodes, at) => nodes !== own[at])) list.append(...sorted.flat());
    }
    const { count: found, none } = field.dataset;
    $(".sift [role=status]").textContent = !words.length ? "" : count ? fill(found, { n: count }) : none;
  };
  const clear = () => {
    $(".sift input").value = "";
    filter();
  };
  document.addEventListener("input", ({ target }) => target.matches(".sift input") && filter());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || !event.target.matches(".sift input") || !event.target.value) return;
    event.preventDefault();
    clear();
  });
  // A link to a term shows it, whatever is typed.
  addEventListener("hashchange", () => {
    const term = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!term?.hidden) return;
    clear();
    term.scrollIntoView();
  });
  document.addEventListener("infralens:update", filter);
  filter();
})();
