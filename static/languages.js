// The links to a page in other languages lead to the place that the reader is at. Only sites with several languages have this.

(() => {
  "use strict";
  const keep = () => {
    for (const link of document.querySelectorAll(".languages a")) {
      const [page] = (link.getAttribute("href") ?? "").split("#");
      link.setAttribute("href", page + location.hash);
    }
  };
  keep();
  addEventListener("hashchange", keep);
})();
