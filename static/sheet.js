// The definition of a term in a sheet at the lower edge of a small screen. `site.js` loads it with the first one.
"use strict";
(() => {
  const { $, words } = window.infralens;
  // Escape closes the sheet alone, and not what is chosen below it, too.
  const escape = (event) => {
    if (event.key !== "Escape" || !$(".sheet").matches(":popover-open")) return;
    event.preventDefault();
    $(".sheet").hidePopover();
  };
  document.addEventListener("keydown", (event) => $(".sheet") && escape(event), true);
  window.infralens.sheet = (term) => {
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
})();
