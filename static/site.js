// The frame of every page: colors, the drawer, and the way to the search.
"use strict";
(() => {
  const { $, $$, storage, keys, keyOf, actionOf, restore, words } = window.infralens;
  const html = document.documentElement;
  const { calc, seldom } = document.currentScript.dataset;

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

  // What is said to those who cannot see it, or at the edge of the window if all have to know.
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.dataset.infralensLive = "";
  const say = (text) => {
    status.className = text ? "notice" : "hidden";
    status.textContent = text;
  };
  say("");
  document.body.append(status);
  const app = Object.assign(window.infralens, { status });

  // What few readers want is fetched when it is first wanted: the search, and practice at the end of a lab.
  const fetched = new Map();
  const load = (name, values) => {
    const url = values.src ?? values.href;
    if (!fetched.has(url)) {
      const arrival = new Promise((resolve, reject) => {
        const onerror = () => fetched.delete(url) && reject(url);
        const node = Object.assign(document.createElement(name), values, { onload: resolve, onerror });
        node.dataset.infralensLive = "";
        document.head.append(node);
      });
      fetched.set(url, arrival);
    }
    return fetched.get(url);
  };
  const want = ({ dataset: { script, style } }) =>
    Promise.all([load("link", { rel: "stylesheet", href: style }), ...[script, html.dataset.root + html.dataset.dialogs].map((src) => load("script", { src }))]);
  /** Returns why a file could not be loaded: it is gone, because the site has been published again; or a text. Buckets that
      list nothing call what is gone forbidden. */
  app.why = (url, text) => fetch(url).then(({ status }) => (status >= 400 && status < 500 ? words.newer : text), () => text);
  // The list of the search's index is fetched along with the script, and has its version.
  const prepare = () => {
    const button = $(".find");
    const href = `${html.dataset.root}search/index.${button.dataset.script.split(".").at(-2)}.js`;
    load("link", { rel: "preload", as: "script", href }).catch(() => {});
    return want(button);
  };
  const ahead = () => prepare().catch(() => {});
  // Until it is here, what is typed goes into a field of its own. Then it is the query; Enter is a new line.
  const find = async () => {
    if ($(".typed")) return;
    const before = /** @type {HTMLElement} */ (document.activeElement);
    const field = Object.assign(document.createElement("textarea"), { className: "typed", title: $(".find span").textContent });
    field.dataset.infralensLive = "";
    $(".find").after(field);
    field.focus({ preventScroll: true });
    const fault = await prepare().then(() => "", (url) => app.why(url, words.search_failed));
    if (!field.isConnected) return;
    field.remove();
    before.focus({ preventScroll: true });
    if (fault) say(fault);
    else app.search(field.value);
  };
  // After Back, the search is there again from which the reader went to a result.
  if (history.state?.search) find();
  const take = (link) =>
    want(link)
      .then(() => app.practice.take())
      .catch(() => location.assign(link.href));

  // The fields of calculators replace their tables before anything is shown. The script that computes comes later, when a
  // calculator comes near or the address sets one.
  const tables = [];
  const compute = () =>
    load("script", { src: calc }).catch(() => {
      near.disconnect();
      for (const [cell, ...nodes] of tables) cell.replaceChildren(...nodes);
    });
  const near = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && compute(), { rootMargin: "100%" });
  const place = (template) => {
    const cell = template.parentNode;
    const [row, figure, field] = [cell.closest("tr"), cell.closest(".calc"), template.content.firstElementChild];
    tables.push([cell, ...cell.childNodes]);
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

  // What is selected may be copied. And not all browsers know how to print what is folded.
  const assist = () => load("script", { src: seldom });
  app.assist = assist;
  const help = () => assist().catch(() => {});
  if (!CSS.supports("selector(::details-content)")) help();
  else if ($("math")) document.addEventListener("selectionchange", help, { once: true });

  app.help = () => Promise.all([assist(), prepare()]).then(() => app.shortcuts(), () => {});

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

  // The drawer changes neither the address nor the place on the page. Where this script came too late, its address has
  // opened it; one that names nothing closes it, and scrolls nowhere.
  const closeDrawer = () => {
    if (!column?.matches(".open, :target")) return false;
    column.classList.remove("open");
    if (location.hash === "#I-course") location.replace("#-");
    $(".menu").focus({ preventScroll: true });
    return true;
  };
  const drawer = (event) => {
    const at = (selector) => event.target.closest?.(selector);
    if (at(".course a:not(.close)")) return column.classList.remove("open");
    if (at(".course") && !at(".close")) return;
    const isClosed = closeDrawer();
    if (!isClosed && !at(".menu")) return;
    // A click beside the drawer closes it, and does nothing else.
    event.preventDefault();
    event.stopPropagation();
    if (isClosed) return;
    column.classList.add("open");
    center();
    $(".close").focus({ preventScroll: true });
  };
  document.addEventListener("click", drawer, true);

  // The second half of a double click is for what the first one hit: what has come under the pointer since is left alone.
  let hit = null;
  const halve = (event) => {
    const control = event.target.closest?.("a, button, summary, label, dialog, .line, .note");
    if (event.detail < 2) hit = control;
    if (control === hit) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("mousedown", halve, true);
  addEventListener("click", halve, true);

  document.addEventListener("click", (event) => {
    say("");
    const button = event.target.closest?.(".theme, .find, .take");
    if (button?.matches(".theme")) switchColors(button);
    else if (button?.matches(".find")) find();
    else if (button && !event.ctrlKey && !event.metaKey && !button.ariaBusy) {
      event.preventDefault();
      // If it takes long, another click follows the link.
      button.ariaBusy = true;
      take(button);
    }
  });
  // What is pointed at is about to be wanted: the search, where a figure comes from, or a report of a mistake.
  const explain = ({ target }) => {
    if (target.closest?.(".find")) ahead();
    const isReported = $(".report") && target.closest?.("main :is(h2, h3, h4)[id], .note[id], .report");
    const act = target.closest?.(".figure[id]") ? "explain" : isReported && "report";
    if (act) assist().then(() => app[act](target)).catch(() => {});
    // Keys that lead out of the drawer close it: what has the focus is to be seen.
    if (target.matches?.(":focus-visible:not(.course *)")) column?.classList.remove("open");
  };
  document.addEventListener("focusin", explain);
  // On a small screen, or one that is touched, a term opens its definition in a sheet at the lower edge instead of leading away.
  const openSheet = (event) => {
    const term = event.target.closest?.(".term > a");
    const isSmall = matchMedia("(width < 64em), (pointer: coarse)").matches;
    // Browsers that know no sheets follow the link.
    if (!term || !isSmall || !("popover" in term) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Until here, the link would be followed, had anything failed.
    event.preventDefault();
    assist().then(() => app.sheet(term)).catch(() => location.assign(term.href));
  };
  document.addEventListener("click", openSheet);

  // Escape hides the definition that is shown; leaving the term shows it again the next time.
  document.addEventListener("pointerover", (event) => {
    explain(event);
    for (const term of $$(".dismissed")) {
      if (!term.contains(event.target)) term.classList.remove("dismissed");
    }
  });
  document.addEventListener("focusout", (event) => event.target.closest?.(".dismissed")?.classList.remove("dismissed"));

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      say("");
      $(".typed")?.remove();
      const terms = $$(":is(.term, .figure):not(.dismissed):is(:hover, :focus-within)");
      for (const term of terms) term.classList.add("dismissed");
      // One press closes one thing, and a note stays.
      if (closeDrawer() || terms.length) event.preventDefault();
    }
    const typing = event.target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");
    const action = !typing && actionOf(event);
    const k = keyOf(event).toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    const act = action === "search" || k ? find : action === "help" && app.help;
    if (!$(".find") || !act) return;
    event.preventDefault();
    act();
  });

  const named = () => {
    if ($(".theme")) name($(".theme"));
    for (const box of $$(".shortcuts input")) box.checked = keys();
  };
  const start = () => {
    calculators();
    named();
    spy();
  };
  document.addEventListener("infralens:update", start);
  // What the reader has chosen in another tab, or since leaving the page.
  const renew = () => {
    restore();
    named();
  };
  addEventListener("storage", renew);
  addEventListener("pageshow", ({ persisted }) => persisted && renew());
  start();
  addressed();
  const center = () => {
    const current = $('.course [aria-current="page"], .course ol [aria-current]');
    if (current) bring(current, 0.3);
  };
  center();
})();
