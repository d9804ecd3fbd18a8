// The preview: keeps the page that is shown equal to the one that the server has, without loading it anew. What a
// reader has done to the page (scrolled, opened, selected, typed, chosen a theme) stays as it is.
//
// Other scripts: what you add to a page and mark `data-infralens-live` is left alone, and `infralens:update` on
// `document` says that the page has changed.
(() => {
  "use strict";

  const HOME = "/.infralens/";
  const OURS = `script[src^="${HOME}"]`;
  const LIVE = "data-infralens-live";
  const DATA = ["application/json", "application/ld+json"];

  const tagOf = (script) => script && new URL(script.src, location.href).searchParams.get("page");
  const isLive = (node) => node.nodeType === Node.ELEMENT_NODE && node.hasAttribute(LIVE);
  const sleep = (time) => new Promise((done) => setTimeout(done, time));

  /** The version of the page that is shown. */
  let tag = tagOf(document.currentScript);

  // 1. The server says when the page has another version.

  let events = null;
  let retry = 0;
  let silence = 0;

  function connect() {
    disconnect();
    // A browser opens few connections to a server at once: tabs that nobody sees leave theirs to the others. What they
    // miss they are told when they come back, since each connection says which version its page has. For the same
    // reason a connection that is lost is not left to the browser, which would name the version of its beginning.
    if (document.hidden) return;
    events = new EventSource(`${HOME}events?${new URLSearchParams({ path: location.pathname, tag })}`);
    events.onopen = () => stopped(false);
    events.onmessage = (event) => update(event.data);
    events.onerror = () => {
      disconnect();
      retry = setTimeout(connect, 1000);
      silence ||= setTimeout(() => stopped(true), 3000);
    };
  }

  function disconnect() {
    clearTimeout(retry);
    events?.close();
    events = null;
  }

  function stopped(is) {
    clearTimeout(silence);
    silence = is ? -1 : 0;
    notice.stopped = is;
    notify();
  }

  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => event.persisted && connect());
  document.addEventListener("visibilitychange", connect);

  // 2. The new page is fetched; of two, the one asked for last.

  let latest = null;

  async function update(wanted) {
    latest?.abort();
    if (wanted === tag) return;
    const { signal } = (latest = new AbortController());
    for (let pause = 100; !signal.aborted; pause = Math.min(2 * pause, 2000)) {
      const next = await load(signal).catch(() => null);
      if (next) {
        await prepare(next);
        if (!signal.aborted) show(next);
        return;
      }
      // The server is away, or between two states: it is asked again.
      await sleep(pause);
    }
  }

  async function load(signal) {
    const response = await fetch(location.pathname + location.search, { cache: "no-store", signal });
    if (response.status !== 200 && response.status !== 404) throw new Error(`status ${response.status}`);
    const next = new DOMParser().parseFromString(await response.text(), "text/html");
    rename(next);
    return next;
  }

  /** The files that a page shows, by the name that it has for them: which version the server has. */
  const filesOf = (script) => new Map(JSON.parse(script?.dataset.files ?? "[]"));

  /** Bars of excerpts that have changed beside their notes: a build's page has them not, so the script brings them. */
  const addBars = (doc, script) => doc.body.insertAdjacentHTML("beforeend", script?.dataset.bars ?? "");
  const own = document.currentScript;

  /** The same as they were when this page was loaded. */
  const files = filesOf(document.currentScript);

  /** A picture that is another by now has its version in its name: of the one that a browser knows it loads no other. */
  function rename(next) {
    for (const [name, version] of filesOf(next.querySelector(OURS))) {
      if (!files.has(name)) files.set(name, version);
      if (files.get(name) === version) continue;
      for (const key of ["src", "href", "poster", "data"]) {
        for (const node of next.querySelectorAll(`:not(a)[${key}="${CSS.escape(name)}"]`)) node.setAttribute(key, `${name}?${version}`);
      }
    }
  }

  /** Loads the styles of a page that is to come, each beside the one that it will replace: nothing is shown bare. */
  async function prepare(next) {
    const old = sheets(document);
    const known = new Set(old.map(address));
    const loaded = sheets(next).map((link, index) => {
      if (known.has(address(link))) return null;
      const copy = document.importNode(link, true);
      const done = new Promise((done) => (copy.onload = copy.onerror = done));
      if (old[index]) old[index].after(copy);
      else document.head.append(copy);
      return Promise.race([done, sleep(3000)]);
    });
    await Promise.all(loaded);
  }

  const isSheet = (node) => node.localName === "link" && node.relList.contains("stylesheet");
  const sheets = (doc) => [...doc.head.querySelectorAll("link[href]")].filter((link) => isSheet(link) && !link.closest("noscript"));
  const address = (link) => new URL(link.getAttribute("href"), document.baseURI).href;

  /** What a page cannot change while it is shown: programs that have run, policies that hold. */
  function fixed(doc) {
    const nodes = [...doc.querySelectorAll(`script:not(${OURS}), meta[http-equiv], base`)];
    const binding = nodes.filter((node) => !isLive(node) && !DATA.includes(node.getAttribute("type")));
    return binding.map((node) => node.outerHTML).join("\n");
  }

  let binding = fixed(document);

  function show(next) {
    const version = tagOf(next.querySelector(OURS));
    if (!version || fixed(next) !== binding) {
      location.reload();
      return;
    }
    addBars(next, next.querySelector(OURS));
    dress(next);
    keepingPlace(() => {
      attributes(document.documentElement, next.documentElement);
      morph(document.head, next.head);
      morph(document.body, next.body);
    });
    tag = version;
    document.dispatchEvent(new CustomEvent("infralens:update"));
    announce();
  }

  // 3. The document becomes the new one: only what differs is touched.

  /** Whether a `details` or `dialog` was open as the server sent it: what the reader has done since is the reader's. */
  const sent = new WeakMap();
  const remember = (root) => {
    for (const node of root.querySelectorAll("details, dialog")) sent.set(node, node.open);
  };

  function morph(from, to) {
    if (from.isEqualNode(to)) return;
    if (from.nodeType !== Node.ELEMENT_NODE) {
      rewrite(from, to.data);
    } else if (from.localName !== "noscript") {
      attributes(from, to);
      children(from, to);
    }
  }

  /** Replaces only the part of a text that differs, so that a selection in the rest of it holds. */
  function rewrite(node, text) {
    const old = node.data;
    const most = Math.min(old.length, text.length);
    let head = 0;
    while (head < most && old[head] === text[head]) head += 1;
    let tail = 0;
    while (tail < most - head && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail += 1;
    node.replaceData(head, old.length - head - tail, text.slice(head, text.length - tail));
  }

  function attributes(from, to) {
    // Scripts write down on the root what the reader has chosen, such as a theme.
    const isRoot = from === document.documentElement;
    const isTheirs = (name) => isRoot && (name === "class" || name === "style" || name.startsWith("data-"));
    const toggled = sent.has(from) && sent.get(from) !== from.open;
    const isKept = (name) => isTheirs(name) || (toggled && name === "open");
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && !isKept(name)) from.removeAttribute(name);
    }
    for (const attribute of to.attributes) {
      const { name, value } = attribute;
      // A node, not a name and a value: parsers let names through that `setAttribute` refuses.
      if (from.getAttribute(name) !== value && !isKept(name)) from.setAttributeNode(attribute.cloneNode());
    }
    if (sent.has(from)) sent.set(from, toggled ? to.open : from.open);
  }

  function children(parent, next) {
    let old = [...parent.childNodes].filter((node) => !isLive(node));
    let fresh = [...next.childNodes];
    const same = (a, b) => a !== undefined && b !== undefined && a.isEqualNode(b);
    let head = 0;
    while (same(old[head], fresh[head])) head += 1;
    [old, fresh] = [old.slice(head), fresh.slice(head)];
    let end = null;
    while (same(old.at(-1), fresh.at(-1))) {
      end = old.pop();
      fresh.pop();
    }
    const kept = pairs(old, fresh);
    const gone = new Set(old);
    for (const node of kept.values()) gone.delete(node);
    for (const node of gone) node.remove();
    // From the last to the first, each before the one that follows it.
    for (const node of fresh.reverse()) {
      let here = kept.get(node);
      if (here) {
        morph(here, node);
      } else {
        here = document.importNode(node, true);
        if (end) end.before(here);
        else parent.append(here);
        if (here.nodeType === Node.ELEMENT_NODE) {
          if ("open" in here) sent.set(here, here.open);
          remember(here);
        }
      }
      end = here;
    }
  }

  /** Which new child each old one becomes, in one order: those of one id or of one text, and between them the likest. */
  function pairs(old, fresh) {
    const key = (node) => {
      if (node.nodeType !== Node.ELEMENT_NODE) return node.data.trim();
      if (isSheet(node)) return `sheet ${address(node)}`;
      return node.id ? `${node.localName} ${node.id}` : node.outerHTML;
    };
    const places = new Map();
    old.forEach((node, place) => {
      const name = key(node);
      if (name) places.set(name, [...(places.get(name) ?? []), place]);
    });
    const found = fresh.map((node) => places.get(key(node))?.shift() ?? -1);
    const result = new Map();
    let [from, to] = [0, 0];
    for (const index of [...rising(found), fresh.length]) {
      const place = index < fresh.length ? found[index] : old.length;
      between(old.slice(from, place), fresh.slice(to, index), result);
      if (index < fresh.length) result.set(fresh[index], old[place]);
      [from, to] = [place + 1, index + 1];
    }
    return result;
  }

  /** The indices of the longest rising sequence of a list, negative numbers left out. */
  function rising(list) {
    const tails = [];
    const before = [];
    list.forEach((value, index) => {
      if (value < 0) return;
      let [low, high] = [0, tails.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (list[tails[middle]] < value) low = middle + 1;
        else high = middle;
      }
      before[index] = low > 0 ? tails[low - 1] : -1;
      tails[low] = index;
    });
    const sequence = [];
    for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index]) sequence.unshift(index);
    return sequence;
  }

  /** Pairs what stands between two pairs: of several old nodes the first that is much like the new one. */
  function between(old, fresh, result) {
    const isAlike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && !isSheet(a);
    let at = 0;
    fresh.forEach((node, index) => {
      // White space is like any other: it passes over nothing.
      const near = old.slice(at, at + (node.nodeType === Node.ELEMENT_NODE ? 20 : 1));
      let found = near.findIndex((other) => isAlike(other, node) && likeness(other, node) >= 0.5);
      // Where none is much like it, the next one, unless that leaves too few for those that follow.
      if (found < 0 && old.length - at >= fresh.length - index) found = near.findIndex((other) => isAlike(other, node));
      if (found < 0) return;
      result.set(node, near[found]);
      at += found + 1;
    });
  }

  /** How much of two texts' begins and ends is the same, from 0 to 1. */
  function likeness(a, b) {
    [a, b] = [a.textContent, b.textContent];
    const [most, least] = [Math.max(a.length, b.length), Math.min(a.length, b.length)];
    let head = 0;
    while (head < least && a[head] === b[head]) head += 1;
    let tail = 0;
    while (tail < least - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
    return most ? (head + tail) / most : 1;
  }

  // 4. The reader's place: what is read stays where it is, whatever grows above it.

  function keepingPlace(change) {
    const focused = document.activeElement;
    const line = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    // At the top of the page is where the page begins.
    const anchors = scrollY > 0 ? visible(document.querySelector("main") ?? document.body, line) : [];
    change();
    const anchor = anchors.find(([node]) => node.isConnected && node.getClientRects().length);
    if (anchor) scrollBy({ top: anchor[0].getBoundingClientRect().top - anchor[1], behavior: "instant" });
    if (focused?.id && !focused.isConnected) document.getElementById(focused.id)?.focus({ preventScroll: true });
  }

  /** Elements that begin in the window below a line, and where; in the end those that reach into it from above. */
  function visible(parent, line) {
    const [inside, above] = [[], []];
    for (const node of parent.children) {
      const { top, bottom } = node.getBoundingClientRect();
      if (bottom <= line || top >= innerHeight || isLive(node)) continue;
      if (top >= line) inside.push([node, top]);
      else above.push(...visible(node, line), [node, top]);
      if (inside.length >= 50) break;
    }
    return [...above.filter(([, top]) => top >= line), ...inside, ...above.filter(([, top]) => top < line)];
  }

  // 5. What the preview itself shows: the panel, the bars of stale excerpts, a note.

  /** The text of the panel that the reader has closed: it comes back when it says something else. */
  let closed = null;

  function dress(doc) {
    for (const bar of doc.querySelectorAll(".infralens-bar")) doc.getElementById(bar.dataset.excerpt)?.before(bar);
    for (const command of doc.querySelectorAll(".infralens-command")) {
      command.after(" ", button(doc, "infralens-copy", "Copy", "Copy this command"));
    }
    const panel = doc.getElementById("Infralens-panel");
    if (!panel) return;
    panel.prepend(button(doc, "infralens-close", "×", "Close until it says something else"));
    const isEmpty = !panel.querySelector(".infralens-errors, .infralens-held, .infralens-bar");
    if (panel.textContent !== closed) closed = null;
    panel.hidden = isEmpty || closed !== null;
  }

  function button(doc, name, text, label) {
    const made = doc.createElement("button");
    made.type = "button";
    made.className = name;
    made.textContent = text;
    made.setAttribute("aria-label", label);
    return made;
  }

  document.addEventListener("click", async ({ target }) => {
    if (target.closest?.(".infralens-close")) {
      const panel = target.closest(".infralens-panel");
      closed = panel.textContent;
      panel.hidden = true;
    }
    const command = target.closest?.(".infralens-copy")?.previousElementSibling;
    if (!command) return;
    try {
      await navigator.clipboard.writeText(command.textContent);
      toast("copied");
    } catch {
      // Only pages that are safe from eavesdroppers may write there; the reader may always.
      getSelection().selectAllChildren(command);
      toast("selected, ready to be copied");
    }
  });

  const notice = { stopped: false, toast: "", quiet: false, timer: 0, errors: "", node: null };

  /** Says something for a moment: `quiet` only to those who hear the page. */
  function toast(text, quiet = false) {
    clearTimeout(notice.timer);
    [notice.toast, notice.quiet] = [text, quiet];
    if (text) notice.timer = setTimeout(toast, 2000, "");
    notify();
  }

  /** How many errors the panel counts. */
  function counted() {
    const panel = document.getElementById("Infralens-panel");
    const summaries = panel && !panel.hidden ? [...panel.querySelectorAll(".infralens-errors > summary")] : [];
    return summaries.map((summary) => summary.textContent).join(", ");
  }

  /** Says to those who hear the page what those who see it see. */
  function announce() {
    const errors = counted();
    if (errors !== notice.errors) toast(errors || "no errors", true);
    notice.errors = errors;
  }

  function notify() {
    const text = notice.toast || (notice.stopped ? "preview stopped" : "");
    if (!text && !notice.node) return;
    if (!notice.node) {
      notice.node = document.createElement("div");
      notice.node.id = "Infralens-note";
      notice.node.lang = "en";
      notice.node.setAttribute("role", "status");
      notice.node.setAttribute(LIVE, "");
    }
    if (!notice.node.isConnected) {
      document.body.append(notice.node);
      // What stands in such a node from the beginning is not read out.
      setTimeout(notify, 50);
      return;
    }
    notice.node.className = notice.toast && notice.quiet ? "infralens-quiet" : text ? "infralens-note" : "";
    notice.node.textContent = text;
  }

  // 6. Alt and a click: to where it is written.

  const BLOCKS = "p, li, dd, dt, td, th, caption, figcaption, summary, blockquote, pre, .answer, h1, h2, h3, h4, h5, h6";
  const ADDED = `.anchor, .cite, .footnote, .footnote-back, .marker, svg, button, [${LIVE}]`;

  addEventListener(
    "click",
    (event) => {
      const plain = event.altKey && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      const query = plain && event.target instanceof Element && place(event.target);
      if (!query) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      jump(query);
    },
    true,
  );

  async function jump(query) {
    const response = await fetch(`${HOME}source?${new URLSearchParams(query)}`, { cache: "no-store" }).catch(() => null);
    if (!response?.ok) return toast(response ? "this is not written in the course" : "preview stopped");
    const { file, line, url } = await response.json();
    // An editor that is not there opens nothing, and says nothing.
    toast(`${file}:${line}`);
    if (url?.startsWith("http")) open(url, "_blank", "noopener");
    else if (url) location.assign(url);
  }

  /** What is known of the place of an element; nothing where it is no part of the page's own content. */
  function place(target) {
    const root = target.closest(".practised") ?? target.closest("main");
    if (!root || target.closest(".infralens-bar, .infralens-panel")) return null;
    const page = location.pathname;
    const line = target.closest(".line[id]");
    if (line) {
      const [excerpt, number] = line.id.split(/-?L/);
      const file = line.closest("figure")?.querySelector("figcaption a[href]");
      return { page: excerpt && file ? file.pathname : page, line: number };
    }
    const note = target.closest(".notes > li[id]");
    if (note) {
      // On a starter's page, a note has a link to the lab in which it is written.
      const home = [...note.querySelectorAll("a[href]")].find((link) => /^#E\d+-N\d+$/.test(link.hash));
      const isAbroad = !note.id.startsWith("E") && home;
      return { page: isAbroad ? home.pathname : page, note: isAbroad ? home.hash.slice(1) : note.id };
    }
    const figure = target.closest("figure.excerpt[id]");
    if (figure) return { page, note: figure.id };
    return passage(root, target, page);
  }

  function passage(root, target, page) {
    // On a practice page, the heading is a link to the lab in which the questions are written.
    const lab = root.matches(".practised") && root.querySelector("h2 > a[href]");
    const query = { page: lab ? lab.pathname : page };
    const isAbove = (node) => node.contains(target) || node.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
    const heading = [...root.querySelectorAll("h2[id], h3[id], h4[id], h5[id], h6[id]")].filter(isAbove).at(-1);
    if (heading) query.heading = heading.id;
    const block = target.closest(BLOCKS);
    if (!block || block === heading || !root.contains(block)) return query;
    query.text = words(block);
    const below = [...root.querySelectorAll(BLOCKS)].filter((node) => !heading || !isBefore(node, heading));
    query.nth = below.filter((node) => isBefore(node, block) && words(node) === query.text).length;
    return query;
  }

  const isBefore = (a, b) => Boolean(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);

  /** The letters and digits of a block's own text, as it is written: of a formula, its source. */
  function words(block) {
    let text = "";
    const read = (node) => {
      for (const child of node.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) text += child.data;
        else if (child.nodeType !== Node.ELEMENT_NODE || child.matches(ADDED) || child.matches(BLOCKS)) continue;
        else if (child.localName === "math") text += child.querySelector("annotation")?.textContent ?? "";
        else read(child);
      }
    };
    read(block);
    return [...text.replace(/[^\p{Alphabetic}\p{N}]/gu, "")].slice(0, 200).join("");
  }

  // Now, not when there is something to show: that may be that the server is away.
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = `${HOME}preview.css`;
  style.setAttribute(LIVE, "");
  document.head.append(style);

  remember(document);
  addBars(document, own);
  dress(document);
  notice.errors = counted();
  connect();
})();
