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

  const filter = () => {
    const field = $(".sift input");
    if (!field) return;
    const words = plain(field.value).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const nodes of entries()) {
      const text = plain(nodes.filter((node) => !node.matches(".mentions")).map(({ textContent }) => textContent).join(" "));
      const isShown = words.every((word) => text.includes(word));
      for (const node of nodes) node.hidden = !isShown;
      count += Number(isShown);
    }
    const { one, count: many, none } = field.dataset;
    $(".sift [role=status]").textContent = !words.length ? "" : count === 1 ? one : count ? fill(many, { n: count }) : none;
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
