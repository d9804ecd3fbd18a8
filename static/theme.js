// Runs before the first paint, so that nothing changes under the reader's eyes: says that scripts run, which colours were
// chosen, and whether keys do something by themselves.
"use strict";
(() => {
  const html = document.documentElement;
  html.classList.add("js");
  try {
    const theme = localStorage.getItem("infralens:theme");
    if (theme === "light" || theme === "dark") html.dataset.theme = theme;
    if (localStorage.getItem("infralens:keys") === "off") html.dataset.keys = "off";
  } catch {
    // Storage is forbidden: the system's colours it is.
  }
  window.infralens = { keys: () => html.dataset.keys !== "off" };
})();
