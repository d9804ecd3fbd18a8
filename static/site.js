// The frame of every page: colors, the drawer, and the way to the search.
"use strict";
(() => {
  const { $, $$, storage, keys } = window.infralens;
  const html = document.documentElement;

  // Colors: system, light, dark, and round again.
  const themes = ["system", "light", "dark"];
  const chosen = () => html.dataset.theme ?? "system";
  const name = (button) => {
    const label = `${button.title.split(":")[0]}: ${button.dataset[chosen()]}`;
    button.title = label;
    button.setAttribute("aria-label", label);
  };
  const switchColors = (button) => {
    const theme = themes[(themes.indexOf(chosen()) + 1) % themes.length];
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
      fetched.set(script, Promise.all([load("link", { rel: "stylesheet", href: style }), load("script", { src: script })]));
    }
    fetched.get(script).then(use, () => fetched.delete(script));
  };
  const find = () => want($(".find"), () => window.infralens.search());
  const take = (link) => want(link, () => window.infralens.practice.take());

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
    if (location.hash !== "#course") return;
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
  // Escape hides the definition that is shown; leaving the term shows it again the next time.
  document.addEventListener("pointerover", (event) => {
    for (const term of $$(".hushed")) {
      if (!term.contains(event.target)) term.classList.remove("hushed");
    }
  });
  document.addEventListener("focusout", (event) => event.target.closest?.(".hushed")?.classList.remove("hushed"));

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      closeDrawer();
      for (const term of $$(".term:hover, .term:focus-within")) term.classList.add("hushed");
    }
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const slash = event.key === "/" && keys() && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    const k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!$(".find") || !(slash || k)) return;
    event.preventDefault();
    find();
  });

  const start = () => {
    if ($(".theme")) name($(".theme"));
    if ($(".shortcuts")) $(".shortcuts input").checked = keys();
    spy();
  };
  document.addEventListener("infralens:update", start);
  start();
  const center = () => {
    const current = $('.course [aria-current="page"], .course ol [aria-current]');
    if (current) bring(current, 0.3);
  };
  // A drawer has no place before it is open.
  addEventListener("hashchange", center);
  center();
})();
