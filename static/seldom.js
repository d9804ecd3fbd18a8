// What few readers need. `site.js` loads it when something is first selected on a page with formulas, with the first definition
// on a small screen, the first figure that is pointed at, for the list of shortcuts, and in browsers that do not know
// `::details-content`; with the first heading or note that is pointed at where mistakes can be reported; `lens.js` with the first
// note that is chosen.
"use strict";
(() => {
  const { $, $$, keys, words } = window.infralens;
  // A copy of a formula is its TeX, between dollar signs, because a fraction as text would be two lines of digits.
  const tex = (math) => {
    const marks = math.getAttribute("display") === "block" ? "$$" : "$";
    return marks + $("annotation", math).textContent.trim() + marks;
  };

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    const formulas = $$("math").filter((math) => selection.containsNode(math, true));
    if (!formulas.length || !event.target.closest || event.target.closest("input, textarea")) return;
    const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
    const range = selection.getRangeAt(0).cloneRange();
    // A formula is copied as a whole.
    const [first, last] = [formulas[0], formulas.at(-1)];
    if (first.contains(range.startContainer)) range.setStartBefore(first);
    if (last.contains(range.endContainer)) range.setEndAfter(last);
    const copied = document.createElement("div");
    copied.append(range.cloneContents());
    for (const math of $$("math", copied)) math.replaceWith(tex(math));
    // What is selected has line breaks that only the browser knows, so it is asked while TeX is in the place of formulas.
    const texts = formulas.map((math) => {
      const text = document.createTextNode(tex(math));
      math.before(text);
      math.style.display = "none";
      return text;
    });
    selection.removeAllRanges();
    selection.addRange(range);
    event.clipboardData.setData("text/plain", selection.toString());
    event.clipboardData.setData("text/html", copied.innerHTML);
    event.preventDefault();
    for (const text of texts) text.remove();
    for (const math of formulas) math.removeAttribute("style");
    selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  });

  // On paper all that is folded is open. Most browsers know it from the style sheet.
  let folded = [];
  addEventListener("beforeprint", () => {
    $(".flag")?.remove();
    if (CSS.supports("selector(::details-content)")) return;
    folded = $$("details:not([open])").map((node) => [node, node.name]);
    // Of those with one name, only one is open.
    for (const [node] of folded) Object.assign(node, { name: "", open: true });
  });
  addEventListener("afterprint", () => {
    for (const [node, name] of folded) Object.assign(node, { open: false, name });
    folded = [];
  });

  // The leader of a note crosses the gap between its code and itself.
  window.infralens.lead = (pair, marker, ring) => {
    for (const old of $$(".leader")) old.remove();
    if (!pair.matches("main > .pair") || !matchMedia("(width >= 64em)").matches) return;
    const [box, from, to] = [pair, marker.parentNode.lastElementChild, ring].map((node) => node.getBoundingClientRect());
    const [x, y, end, level] = [from.right - box.x, from.y + from.height / 2 - box.y, to.x - box.x, to.y + to.height / 2 - box.y];
    if (Math.abs(level - y) > innerHeight) return;
    const [turn, radius] = [end - 14, Math.min(8, Math.abs(level - y) / 2)];
    const down = radius * Math.sign(level - y);
    const [svg, path] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
    path.setAttribute("d", `M${x} ${y}H${turn - radius}Q${turn} ${y} ${turn} ${y + down}V${level - down}Q${turn} ${level} ${turn + radius} ${level}H${end}`);
    svg.setAttribute("class", "leader");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("data-infralens-live", "");
    svg.append(path);
    pair.append(svg);
  };

  // Where a figure comes from, as the row of the list of figures says.
  window.infralens.explain = (target) => {
    const figure = target.closest(".figure");
    const row = document.getElementById(figure.id.split("-")[0]);
    if (!row || $(".definition", figure)) return;
    const shown = document.createElement("span");
    shown.className = "definition";
    shown.dataset.infralensLive = "";
    shown.append(...row.children[1].cloneNode(true).childNodes);
    for (const link of $$("a", shown)) link.replaceWith(...link.childNodes);
    figure.append(shown);
  };

  // A link to report a mistake at the heading or note that is pointed at. It is the one at the end of the page, which thus also
  // works without scripts, with more text: where the mistake is, and for a note its lines, their code, and the version of the file.
  const detail = (node) => {
    const from = $(".excerpt[data-from]", node.closest(".pair") ?? node)?.dataset.from;
    if (!from || !node.dataset.lines) return `#${node.id}`;
    const [lines, code] = [node.dataset.lines, window.infralens.lens.linesOf(node)];
    const named = code[0]?.dataset.local ? [code[0].id] : lines.split(" ").map((range) => [...new Set(range.split("-"))].map((line) => `L${line}`).join("-"));
    const text = code.map((line) => line.textContent.replace(/\n$/, "")).join("\n");
    return [`#${node.id}`, `${from} ${named.join(" ")}`, "```", text.slice(0, 1500), "```"].join("\n");
  };
  const places = "main :is(h2, h3, h4)[id], .note[id]";
  window.infralens.report = (target) => {
    const page = $(".report");
    page.dataset.href ??= page.href;
    // The link at the end is about what the address names.
    const node = target === page ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : target.closest(places);
    const href = page.dataset.href + (node?.matches(places) ? encodeURIComponent(`${detail(node)}\n`) : "");
    if (target === page) page.href = href;
    if (target === page || $(".flag", node)?.href === href) return;
    const flag = $(".flag") ?? Object.assign(document.createElement("a"), { className: "flag" });
    flag.dataset.infralensLive = "";
    Object.assign(flag, { href, textContent: page.textContent, title: "" });
    // Next to a note there is only room below its number.
    if (node.matches(".note")) {
      flag.innerHTML = '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M4 15V2h8l-2 3.5 2 3.5H4" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>';
      flag.title = page.textContent;
    }
    flag.setAttribute("aria-label", page.textContent);
    $(".anchor, .ring", node)?.after(flag);
  };

  // The definition of a term in a sheet at the lower edge of a small screen.
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

  // The list of shortcuts.
  window.infralens.shortcuts = () => {
    let dialog = $(".help");
    if (!dialog) {
      dialog = $("#I-shortcuts").content.firstElementChild.cloneNode(true);
      $("input", dialog).checked = keys();
      dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest(".close")) && dialog.close());
      document.body.append(dialog);
    }
    if (!dialog.open) dialog.showModal();
  };
})();
