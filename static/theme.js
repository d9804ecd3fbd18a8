// Runs before the first paint, so that nothing changes under the reader's eyes: says that scripts run, and which colours
// were chosen.
"use strict";
(() => {
  const html = document.documentElement;
  html.classList.add("js");
  try {
    const theme = localStorage.getItem("infralens:theme");
    if (theme === "light" || theme === "dark") html.dataset.theme = theme;
  } catch {
    // Storage is forbidden: the system's colours it is.
  }
})();
