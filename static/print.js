// Page numbers in the contents of a track's print page. The address gives them, as in `print.html?pages=2,5,9`: browsers do
// not know on which sheet a chapter begins until the page is printed.
"use strict";
(() => {
  const { $$ } = window.infralens;
  const pages = new URLSearchParams(location.search).get("pages")?.split(",") ?? [];
  $$(".volume a").forEach((link, at) => /^\d+$/.test(pages[at]) && (link.dataset.page = pages[at]));
})();
