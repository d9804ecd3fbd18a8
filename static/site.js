// The frame of every page: colors, the drawer, and the way to the search.
"use strict";
(() => {
  const { $, $$, storage, keys, words } = window.infralens;
  const html = document.documentElement;
  const { calc } = document.currentScript.dataset;

  // Colors: the opposite of what the system shows, so that the first press changes something; the other; and the system again.
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const themes = () => (isDark.matches ? ["system", "light", "dark"] : ["system", "dark", "light"]);
  const chosen = () => html.dataset.theme ?? "system";
  const name = (button) => {
    const label = `${words.theme}: ${words[`theme_${chosen()}`]}`;
    button.title = label;
    button.setAttribute("aria-label", label);
  };
  const switchColors = (button) => {
    const theme = themes()[(themes().indexOf(chosen()) + 1) % 3];
    if (theme === "system") delete html.dataset.theme;
    else html.dataset.theme = theme;
    // Where nothing can be kept, it holds for this page only.
    storage.write("infralens:theme", theme === "system" ? null : theme);
    name(button);
  };

  // Keys that do something by themselves can be switched off: they are in the way of those who dictate.
  const switchKeys = (checked) => {
    if (checked) delete html.dataset.keys;
    else html.dataset.keys = "off";
    storage.write("infralens:keys", checked ? null : "off");
  };
  document.addEventListener("change", ({ target }) => target.matches(".shortcuts input") && switchKeys(target.checked));

  // What few readers want is fetched when it is first wanted: the search, and practice at the end of a lab.
  const fetched = new Map();
  const load = (name, values) =>
    new Promise((resolve, reject) => {
      const node = Object.assign(document.createElement(name), values, { onload: resolve, onerror: reject });
      node.dataset.infralensLive = "";
      document.head.append(node);
    });
  const want = ({ dataset: { script, style } }, use) => {
    if (!fetched.has(script)) {
      const dialogs = $("#I-search") || load("script", { src: `${html.dataset.root}${html.dataset.dialogs ?? "dialogs.js"}` });
      fetched.set(script, Promise.all([load("link", { rel: "stylesheet", href: style }), load("script", { src: script }), dialogs]));
    }
    fetched.get(script).then(use, () => fetched.delete(script));
  };
  // The head of the search's index is fetched along with its script.
  const prepare = (use) => {
    const index = `${html.dataset.root}search/index.js`;
    if (!fetched.has(index)) fetched.set(index, load("link", { rel: "preload", as: "script", href: index }).catch(() => {}));
    want($(".find"), use);
  };
  const find = () => prepare(() => window.infralens.search());
  // After Back, the search is there again from which the reader went to a result.
  if (history.state?.search) find();
  const take = (link) => want(link, () => window.infralens.practice.take());

  // The fields of calculators replace their tables before anything is shown. The script that computes comes later, when a
  // calculator comes near or the address sets one.
  const compute = () => {
    if (!fetched.has(calc)) fetched.set(calc, load("script", { src: calc }).catch(() => fetched.delete(calc)));
  };
  const near = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && compute(), { rootMargin: "100%" });
  const place = (template) => {
    const cell = template.parentNode;
    const [row, figure, field] = [cell.closest("tr"), cell.closest(".calc"), template.content.firstElementChild];
    cell.replaceChildren(template.content);
    // The name of an input is that of its field, and its range the description.
    for (const [role, node] of [["labelledby", $("th", row ?? cell)], ["describedby", $("small", cell)]]) {
      if (!node) continue;
      node.id = `${figure.id}-${row.dataset.value}-${role}`;
      field.setAttribute(`aria-${role}`, node.id);
    }
  };
  const calculators = () => {
    if (!calc) return;
    $$(".calc template").forEach(place);
    for (const figure of $$(".calc")) near.observe(figure);
  };
  const addressed = () => calc && location.hash.includes(":") && compute();
  addEventListener("hashchange", addressed);

  // The course column: it shows the current page, and marks the section that is being read.
  const column = $(".course");
  const bring = (node, at) => {
    const [box, place] = [column.getBoundingClientRect(), node.getBoundingClientRect()];
    const isSeen = place.top > box.top && place.bottom < Math.min(box.bottom, innerHeight);
    if (box.height && !isSeen) column.scrollTop += place.top - box.top - box.height * at;
  };
  let waiting = 0;
  const spy = () => {
    waiting = 0;
    const links = $$(".contents a");
    const isAbove = ({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1)))?.getBoundingClientRect().top < innerHeight / 3;
    const here = links.findLast(isAbove);
    for (const link of links) {
      if (link === here && !link.ariaCurrent) bring(link, 0.5);
      link.ariaCurrent = link === here ? "location" : null;
    }
  };
  addEventListener("scroll", () => (waiting ||= requestAnimationFrame(spy)), { passive: true });

  // The drawer opens without a script; this closes it as people expect.
  const closeDrawer = () => {
    if (location.hash !== "#I-course") return;
    $(".course .close").click();
    $(".menu").focus({ preventScroll: true });
  };

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".course, .menu")) closeDrawer();
    const button = event.target.closest?.(".theme, .find, .take");
    if (button?.matches(".theme")) switchColors(button);
    else if (button?.matches(".find")) find();
    else if (button && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      take(button);
    }
  });
  // Where a figure in the text comes from: the row of the list of figures, as a definition.
  const explain = ({ target }) => {
    const figure = target.closest?.(".figure[id]");
    const row = figure && document.getElementById(figure.id.split("-")[0]);
    if (!row || $(".definition", figure)) return;
    const shown = document.createElement("span");
    shown.className = "definition";
    shown.dataset.infralensLive = "";
    shown.append(...row.children[1].cloneNode(true).childNodes);
    for (const link of $$("a", shown)) link.replaceWith(...link.childNodes);
    figure.append(shown);
  };
  document.addEventListener("focusin", explain);
  // On a small screen, or one that is touched, a term opens its definition in a sheet at the lower edge instead of leading away.
  const openSheet = (event) => {
    const term = event.target.closest?.(".term > a");
    const isSmall = innerWidth < 1024 || matchMedia("(pointer: coarse)").matches;
    if (!term || !isSmall || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    let sheet = $(".sheet");
    if (!sheet) {
      const made = document.createElement("template");
      const content = '<p></p><p class="ways"><a></a> <button type="button"></button></p>';
      made.innerHTML = `<div class="sheet" popover role="dialog" tabindex="-1" autofocus data-infralens-live>${content}</div>`;
      sheet = made.content.firstElementChild;
      $("a", sheet).textContent = words.glossary;
      $("button", sheet).textContent = words.close;
      $("button", sheet).addEventListener("click", () => sheet.hidePopover());
      document.body.append(sheet);
    }
    sheet.setAttribute("aria-label", term.textContent);
    const said = document.getElementById(term.getAttribute("aria-describedby")).lastChild.textContent;
    $("p", sheet).replaceChildren(Object.assign(document.createElement("b"), { textContent: term.textContent }), ` ${said.trim()}`);
    $("a", sheet).href = term.href;
    sheet.showPopover();
  };
  document.addEventListener("click", openSheet);

  // Escape hides the definition that is shown; leaving the term shows it again the next time.
  document.addEventListener("pointerover", (event) => {
    if (event.target.closest?.(".find")) prepare();
    explain(event);
    for (const term of $$(".hushed")) {
      if (!term.contains(event.target)) term.classList.remove("hushed");
    }
  });
  document.addEventListener("focusin", ({ target }) => target.matches(".find") && prepare());
  document.addEventListener("focusout", (event) => event.target.closest?.(".hushed")?.classList.remove("hushed"));

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      closeDrawer();
      for (const term of $$(":is(.term, .figure):is(:hover, :focus-within)")) term.classList.add("hushed");
    }
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const slash = event.key === "/" && keys() && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    const k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!$(".find") || !(slash || k)) return;
    event.preventDefault();
    find();
  });

  const start = () => {
    calculators();
    if ($(".theme")) name($(".theme"));
    if ($(".shortcuts")) $(".shortcuts input").checked = keys();
    spy();
  };
  document.addEventListener("infralens:update", start);
  start();
  addressed();
  const center = () => {
    const current = $('.course [aria-current="page"], .course ol [aria-current]');
    if (current) bring(current, 0.3);
  };
  // A drawer has no place before it is open.
  addEventListener("hashchange", center);
  center();
})();
