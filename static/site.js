// The frame of every page: colours, the drawer, and the way to the search.
"use strict";
(() => {
  const html = document.documentElement;
  const $ = (selector) => document.querySelector(selector);

  // Colours: system, light, dark, and round again.
  const themes = ["system", "light", "dark"];
  const chosen = () => html.dataset.theme ?? "system";
  const name = (button) => {
    const label = `${button.title.split(":")[0]}: ${button.dataset[chosen()]}`;
    button.title = label;
    button.setAttribute("aria-label", label);
  };
  const colour = (button) => {
    const theme = themes[(themes.indexOf(chosen()) + 1) % themes.length];
    if (theme === "system") delete html.dataset.theme;
    else html.dataset.theme = theme;
    try {
      if (theme === "system") localStorage.removeItem("infralens:theme");
      else localStorage.setItem("infralens:theme", theme);
    } catch {
      // Kept for this page only.
    }
    name(button);
  };

  // Keys that do something by themselves can be switched off: they are in the way of those who dictate.
  const keys = ({ checked }) => {
    if (checked) delete html.dataset.keys;
    else html.dataset.keys = "off";
    try {
      if (checked) localStorage.removeItem("infralens:keys");
      else localStorage.setItem("infralens:keys", "off");
    } catch {
      // Kept for this page only.
    }
  };
  document.addEventListener("change", ({ target }) => target.matches(".shortcuts input") && keys(target));

  // The search is fetched when it is first wanted.
  let search;
  const find = () => {
    search ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = $(".find").dataset.script;
      script.dataset.infralensLive = "";
      script.onload = () => resolve(window.infralens.search);
      script.onerror = reject;
      document.head.append(script);
    });
    search.then((open) => open(), () => (search = undefined));
  };

  // The drawer opens without a script; this closes it as people expect.
  const closeDrawer = () => {
    if (location.hash !== "#course") return;
    $(".course .close").click();
    $(".menu").focus({ preventScroll: true });
  };

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".course, .menu")) closeDrawer();
    const button = event.target.closest?.(".theme, .find");
    if (button?.matches(".theme")) colour(button);
    else if (button) find();
  });
  // Escape hides the definition that is shown; leaving the term shows it again the next time.
  document.addEventListener("pointerover", (event) => {
    for (const term of document.querySelectorAll(".hushed")) {
      if (!term.contains(event.target)) term.classList.remove("hushed");
    }
  });
  document.addEventListener("focusout", (event) => event.target.closest?.(".hushed")?.classList.remove("hushed"));

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      closeDrawer();
      for (const term of document.querySelectorAll(".term:hover, .term:focus-within")) term.classList.add("hushed");
    }
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const slash = event.key === "/" && window.infralens.keys() && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    const k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!$(".find") || !(slash || k)) return;
    event.preventDefault();
    find();
  });

  const start = () => {
    if ($(".theme")) name($(".theme"));
    if ($(".shortcuts")) $(".shortcuts input").checked = window.infralens.keys();
  };
  document.addEventListener("infralens:update", start);
  start();
})();
