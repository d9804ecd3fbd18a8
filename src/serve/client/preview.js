// The preview: keeps the displayed page equal to the one on the server without reloading it. What a reader has done to the
// page (scrolled, opened, selected, typed, chosen a theme) is kept.
//
// Other scripts: elements that you add and mark with `data-infralens-live` are not changed, and the event
// `infralens:update` on `document` announces that the page has changed.
(() => {
  "use strict";

  const HOME = "/.infralens/";

  // 0. One event stream for all pages of a browser, which opens only six connections to a server at once. This file is also
  //    the shared worker that has the stream. Without shared workers, each visible page has its own.

  /** How long the server may be silent: it sends something every two seconds. */
  const SILENCE = 5000;

  /** Listens to the server. Calls back with each change: the address of the page that was just edited, or ""; null while
   *  the server is unavailable. Returns a function that stops listening. */
  function listen(tell) {
    let [events, timer] = [null, 0];
    const lost = () => {
      events.close();
      tell(null);
      wait(connect, 1000);
    };
    const wait = (what, time) => {
      clearTimeout(timer);
      timer = setTimeout(what, time);
    };
    // A connection may be lost without an error.
    const hears = () => wait(lost, SILENCE);
    const connect = () => {
      events = new EventSource(`${HOME}events`);
      events.onmessage = ({ data }) => {
        hears();
        tell(data.split(" ")[1] ?? "");
      };
      events.addEventListener("ping", hears);
      events.onerror = lost;
      hears();
    };
    connect();
    return () => {
      clearTimeout(timer);
      events.close();
    };
  }

  /** The worker. Pages send their path when they become visible or focused, and null when they are hidden or closed. */
  function share() {
    const pages = new Map();
    let said;
    /** @type {any} */ (self).onconnect = ({ ports: [port] }) => {
      port.onmessage = ({ data: path }) => {
        const isKnown = pages.delete(port);
        if (path === null) return;
        // The page that was focused last is at the end.
        pages.set(port, path);
        if (!isKnown && said !== undefined) port.postMessage({ away: said === null });
      };
    };
    listen((edited) => {
      said = edited;
      const shown = [...pages.keys()].filter((port) => pages.get(port) === edited?.split("#")[0]);
      const last = edited ? (shown.at(-1) ?? [...pages.keys()].at(-1)) : null;
      for (const port of pages.keys()) port.postMessage({ away: edited === null, go: port === last ? edited : "" });
    });
  }

  if (typeof document === "undefined") {
    share();
    return;
  }

  const OURS = `script[src^="${HOME}"]`;
  const LIVE = "data-infralens-live";
  const DATA = ["application/json", "application/ld+json"];

  const tagOf = (script) => script && new URL(script.src, location.href).searchParams.get("page");
  const isLive = (node) => node.nodeType === Node.ELEMENT_NODE && node.hasAttribute(LIVE);
  const sleep = (time) => new Promise((done) => setTimeout(done, time));

  /** The version of the displayed page. */
  let tag = tagOf(document.currentScript);

  // 1. The server announces that the site has changed. A hidden page does nothing until it becomes visible.

  let silence = 0;

  function hear({ away, go }) {
    if (away) {
      silence ||= setTimeout(stopped, 3000, true);
      return;
    }
    stopped(false);
    const [path, place] = (go || location.pathname).split("#");
    if (path === location.pathname) return update(place);
    keep(GOING, place ?? "");
    location.assign(path);
  }

  /** Where on the page to go when it is loaded. */
  const GOING = "infralens:going";

  /** Brings the place of an edit into view, unless it is: an element by its id, the drawing `D2`, the block whose words are
   *  `=…`. */
  function reach(place) {
    const main = document.querySelector("main");
    if (!place || !main) return;
    const name = decodeURIComponent(place);
    const drawing = /^D(\d+)$/.exec(name);
    const isIt = (block) => words(block) === name.slice(1);
    const node = name.startsWith("=") ? [...main.querySelectorAll(BLOCKS)].find(isIt)
      : drawing ? main.querySelectorAll(".diagram")[+drawing[1] - 1] : document.getElementById(name);
    if (!node) return;
    for (let fold = node.parentElement; fold; fold = fold.parentElement) if ("open" in fold) fold.open = true;
    const { top, bottom } = node.getBoundingClientRect();
    if (top < 80 || bottom > innerHeight) node.scrollIntoView({ block: bottom - top < innerHeight / 2 ? "center" : "start", behavior: "instant" });
  }

  function stopped(is) {
    clearTimeout(silence);
    silence = is ? -1 : 0;
    notice.stopped = is;
    notify();
  }

  /** Tells the worker which path is visible here, if any.
   *  @type {(path: string | null) => void} */
  let present = () => {};

  function subscribe() {
    try {
      // Increase the number when the messages between worker and page change: an old worker lives as long as a page.
      const worker = new SharedWorker(`${HOME}preview.js?worker=2`);
      worker.onerror = subscribeAlone;
      worker.port.onmessage = ({ data }) => hear(data);
      present = (path) => worker.port.postMessage(path);
      // A worker whose script does not arrive says nothing; another one answers at once.
      silence ||= document.hidden ? 0 : setTimeout(stopped, SILENCE, true);
    } catch {
      subscribeAlone();
    }
  }

  function subscribeAlone() {
    let end = null;
    present = (path) => {
      if ((path === null) === (end === null)) return;
      end?.();
      const tell = (edited) => hear({ away: edited === null, go: edited });
      end = path === null ? null : listen(tell);
    };
    seen();
  }

  const seen = () => present(document.hidden ? null : location.pathname);
  addEventListener("focus", seen);
  document.addEventListener("visibilitychange", seen);
  addEventListener("pageshow", (event) => event.persisted && seen());
  addEventListener("pagehide", () => present(null));

  // 2. The page is requested, and updated if its version differs; of two requests, the later one counts.

  let latest = null;

  async function update(place) {
    latest?.abort();
    latest = new AbortController();
    const { signal } = latest;
    for (let pause = 100; !signal.aborted; pause = Math.min(2 * pause, 2000)) {
      const next = await load(signal).catch(() => undefined);
      if (next) {
        await prepare(next);
        if (!signal.aborted) show(next);
      }
      if (next !== undefined) return reach(place);
      // The server is unavailable or restarting: try again.
      await sleep(pause);
    }
  }

  /** Fetches the page from the server; null if it is the displayed version. */
  async function load(signal) {
    const headers = { "If-None-Match": `"${tag}"` };
    const response = await fetch(location.pathname + location.search, { cache: "no-store", headers, signal });
    if (response.status === 304) return null;
    if (response.status !== 200 && response.status !== 404) throw new Error(`status ${response.status}`);
    const next = new DOMParser().parseFromString(await response.text(), "text/html");
    if (tagOf(next.querySelector(OURS)) === tag) return null;
    rename(next);
    return next;
  }

  /** The files that a page embeds: from the name on the page to the version on the server. */
  const filesOf = (script) => new Map(JSON.parse(script?.dataset.files ?? "[]"));

  /** Bars and warnings, which are not part of a page without errors, so the script adds them. */
  const add = (doc, script) => doc.body.insertAdjacentHTML("beforeend", script?.dataset.added ?? "");
  const own = document.currentScript;

  /** The same, when this page was loaded. */
  const files = filesOf(document.currentScript);

  /** Adds the version to the name of a picture that has changed, because browsers do not reload a name that they know. */
  function rename(next) {
    for (const [name, version] of filesOf(next.querySelector(OURS))) {
      if (!files.has(name)) files.set(name, version);
      if (files.get(name) === version) continue;
      for (const key of ["src", "href", "poster", "data"]) {
        for (const node of next.querySelectorAll(`:not(a)[${key}="${CSS.escape(name)}"]`)) node.setAttribute(key, `${name}?${version}`);
      }
    }
  }

  /** Loads the styles of the new page next to those that they replace, so that nothing is shown without styles. */
  async function prepare(next) {
    const old = sheets(document);
    const known = new Set(old.map(address));
    const loaded = sheets(next).map((link, index) => {
      if (known.has(address(link))) return null;
      const copy = document.importNode(link, true);
      const done = new Promise((done) => {
        copy.onload = done;
        copy.onerror = done;
      });
      if (old[index]) old[index].after(copy);
      else document.head.append(copy);
      return Promise.race([done, sleep(3000)]);
    });
    await Promise.all(loaded);
  }

  const isSheet = (node) => node.localName === "link" && node.relList.contains("stylesheet");
  const sheets = (doc) => [...doc.head.querySelectorAll("link[href]")].filter((link) => isSheet(link) && !link.closest("noscript"));
  const address = (link) => new URL(link.getAttribute("href"), document.baseURI).href;

  /** Returns the parts of a page that cannot be updated in place: scripts that have run, policies in force. A reading order
   *  has a version after its name, and is data: pages show it when they are loaded again. */
  function fixed(doc) {
    const nodes = [...doc.querySelectorAll(`script:not(${OURS}), meta[http-equiv], base`)];
    const binding = nodes.filter((node) => !isLive(node) && !DATA.includes(node.getAttribute("type")));
    return binding.map((node) => node.outerHTML.replace(/(\/order-.*)\.\w+\.js/, "$1.js")).join("\n");
  }

  const binding = fixed(document);

  function show(next) {
    const version = tagOf(next.querySelector(OURS));
    // The page has another name by now.
    const { moved } = next.querySelector(OURS)?.dataset ?? {};
    if (moved) {
      location.replace(moved + location.hash);
      return;
    }
    if (!version || fixed(next) !== binding) {
      location.reload();
      return;
    }
    add(next, next.querySelector(OURS));
    dress(next);
    keepingPlace(() => {
      attributes(document.documentElement, next.documentElement);
      morph(document.head, next.head);
      morph(document.body, next.body);
      tag = version;
      document.dispatchEvent(new CustomEvent("infralens:update"));
    });
    announce();
  }

  // 3. The document is updated: only what differs is touched.

  /** Whether a `details` or `dialog` was open when the server sent it; what the reader has done since is kept. */
  const sent = new WeakMap();
  const remember = (root) => {
    for (const node of root.querySelectorAll("details, dialog")) sent.set(node, node.open);
  };

  /** What the scripts of a page replace by fields and buttons. While the server sends the same, it stays as it is. */
  const MADE = ".calc, .session";
  /** The elements that the server sent for these. */
  const origin = new WeakMap();

  /** Notes what the server has sent for this page, before its scripts ran: the browser still has it. */
  async function recall() {
    const made = [...document.querySelectorAll(MADE)].filter((node) => !isLive(node));
    if (!made.length) return;
    const response = await fetch(location.pathname + location.search, { cache: "force-cache" }).catch(() => null);
    const doc = new DOMParser().parseFromString((await response?.text()) ?? "", "text/html");
    const sent = [...doc.querySelectorAll(MADE)];
    if (tagOf(doc.querySelector(OURS)) !== tag || sent.length !== made.length) return;
    made.forEach((node, index) => origin.has(node) || origin.set(node, sent[index]));
  }

  function morph(from, to) {
    if (from.isEqualNode(to)) return;
    if (to.nodeType === Node.ELEMENT_NODE && to.matches(MADE)) {
      const before = origin.get(from);
      origin.set(from, to);
      // Nodes are equal whatever is in their templates.
      if (before?.outerHTML === to.outerHTML) return;
    }
    if (from.nodeType !== Node.ELEMENT_NODE) {
      rewrite(from, to.data);
    } else if (from.localName !== "noscript") {
      attributes(from, to);
      children(from, to);
    }
  }

  /** Replaces only the part of a text that differs, so that a selection in the rest is kept. */
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
    // Scripts store the reader's choices, such as a theme, on the root element.
    const isRoot = from === document.documentElement;
    const isTheirs = (name) => isRoot && (name === "class" || name === "style" || name.startsWith("data-"));
    const toggled = sent.has(from) && sent.get(from) !== from.open;
    const isKept = (name) => isTheirs(name) || (toggled && name === "open");
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && !isKept(name)) from.removeAttribute(name);
    }
    for (const attribute of to.attributes) {
      const { name, value } = attribute;
      // Copies the node, because parsers accept names that `setAttribute` rejects.
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
    // From the last to the first, each before its successor.
    for (const node of fresh.reverse()) {
      let here = kept.get(node);
      if (here) {
        morph(here, node);
      } else {
        here = document.importNode(node, true);
        if (end) end.before(here);
        else parent.append(here);
        if (here.nodeType === Node.ELEMENT_NODE) {
          const [copies, originals] = [here, node].map((root) => [...root.querySelectorAll(MADE), ...(root.matches(MADE) ? [root] : [])]);
          copies.forEach((copy, index) => origin.set(copy, originals[index]));
          if ("open" in here) sent.set(here, here.open);
          remember(here);
        }
      }
      end = here;
    }
  }

  /** Maps old children to new ones, in order: first those with the same id or text, then the most similar ones between them. */
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

  /** Returns the indices of the longest increasing subsequence, without negative numbers. */
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

  /** Matches the nodes between two pairs: each new node with the first old node that is similar enough. */
  function between(old, fresh, result) {
    const isAlike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && !isSheet(a);
    let at = 0;
    fresh.forEach((node, index) => {
      // White space matches any white space, but never skips a node.
      const near = old.slice(at, at + (node.nodeType === Node.ELEMENT_NODE ? 20 : 1));
      let found = near.findIndex((other) => isAlike(other, node) && likeness(other, node) >= 0.5);
      // If none is similar enough, take the next one, unless too few would be left for those that follow.
      if (found < 0 && old.length - at >= fresh.length - index) found = near.findIndex((other) => isAlike(other, node));
      if (found < 0) return;
      result.set(node, near[found]);
      at += found + 1;
    });
  }

  /** Returns the share of two texts that is the same at their beginning and end, from 0 to 1. */
  function likeness(a, b) {
    [a, b] = [a.textContent, b.textContent];
    const [most, least] = [Math.max(a.length, b.length), Math.min(a.length, b.length)];
    let head = 0;
    while (head < least && a[head] === b[head]) head += 1;
    let tail = 0;
    while (tail < least - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
    return most ? (head + tail) / most : 1;
  }

  // 4. The scroll position: what is being read stays in place, even if something above it changes its height.

  function keepingPlace(change) {
    const focused = document.activeElement;
    // A field that is made anew has the same place in its calculator.
    const home = focused?.id ? focused : focused?.closest(".calc[id]");
    const fields = (root) => [...root.querySelectorAll("a, button, input, select, summary, textarea, [tabindex]")];
    const index = home ? fields(home).indexOf(focused) : -1;
    const line = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    // At the top of the page, stay at the top.
    const anchors = scrollY > 0 ? visible(document.querySelector("main") ?? document.body, line) : [];
    change();
    const anchor = anchors.find(([node]) => node.isConnected && node.getClientRects().length);
    if (anchor) scrollBy({ top: anchor[0].getBoundingClientRect().top - anchor[1], behavior: "instant" });
    if (!home || document.activeElement === focused) return;
    const now = document.getElementById(home.id);
    const field = now === null || index < 0 ? now : fields(now)[index];
    if (field?.localName === focused.localName) field.focus({ preventScroll: true });
  }

  /** Elements that begin in the window below a line, with their positions; at the end, those that begin above it. */
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

  // 5. The preview's own elements: the panel, the bars of stale excerpts, a message, and a mark on an outdated page.

  /** The panels that the reader has closed in this tab, by content: a panel with other content is shown again. */
  const closed = {
    KEY: "infralens:closed",
    list() {
      try {
        return JSON.parse(sessionStorage.getItem(this.KEY)) ?? [];
      } catch {
        return [];
      }
    },
    set(says, is) {
      const list = this.list().filter((other) => other !== says);
      // Without storage, closed until the next change.
      keep(this.KEY, JSON.stringify(is ? [...list.slice(-50), says] : list));
    },
  };

  function keep(key, value) {
    try {
      sessionStorage.setItem(key, value);
    } catch {
      // Some browsers have none.
    }
  }

  /** Goes to the place that another page has sent the reader to. */
  function arrive() {
    try {
      reach(sessionStorage.getItem(GOING));
      sessionStorage.removeItem(GOING);
    } catch {
      // Without storage, the page is shown from its top.
    }
  }

  const panelOf = (doc) => doc.getElementById("Infralens-panel");
  /** Whether a page consists only of its panel. */
  const isAlone = (doc) => doc.body.matches(".infralens-page");

  function dress(doc) {
    const languages = doc.querySelector(".languages ul");
    // A page beside another one is in a frame.
    if (languages && window === top) {
      languages.append(doc.createElement("li"));
      languages.lastElementChild.append(button(doc, "infralens-beside", "Side by side", "Show this page next to its source"));
    }
    for (const bar of doc.querySelectorAll(".infralens-bar")) doc.getElementById(bar.dataset.excerpt)?.before(bar);
    for (const command of doc.querySelectorAll(".infralens-command")) {
      command.after(" ", button(doc, "infralens-copy", "Copy", "Copy this command"));
    }
    for (const fix of doc.querySelectorAll(".infralens-fix")) {
      fix.append(" ", button(doc, "infralens-apply", "Apply", `Apply this fix: ${fix.textContent}`));
    }
    const panel = panelOf(doc);
    if (!panel) return;
    panel.prepend(button(doc, "infralens-close", "×", "Close until it says something else"));
    const isEmpty = !panel.querySelector(".infralens-list, .infralens-held, .infralens-bar");
    panel.hidden = !isAlone(doc) && (isEmpty || closed.list().includes(panel.dataset.says));
    if (panel.dataset.held) doc.title = `✕ ${panel.dataset.held} · ${doc.title}`;
  }

  /** A closed panel with errors leaves a mark. */
  function mark() {
    const panel = panelOf(document);
    const errors = panel?.dataset.held ?? panel?.dataset.elsewhere;
    let node = document.getElementById("Infralens-mark");
    if (!panel?.hidden || !errors) {
      node?.remove();
      return;
    }
    if (!node) {
      node = button(document, "infralens-mark", "", "");
      node.id = "Infralens-mark";
      node.lang = "en";
      node.setAttribute(LIVE, "");
      document.body.append(node);
    }
    node.textContent = `✕ ${errors}`;
    const notice = panel.querySelector(".infralens-held");
    node.title = `${notice ? `${notice.textContent}: show` : "Show"} what is wrong`;
    node.setAttribute("aria-label", `${errors} ${errors === "1" ? "error" : "errors"}: show what is wrong`);
  }

  function close(is) {
    const panel = panelOf(document);
    if (!panel || isAlone(document)) return;
    closed.set(panel.dataset.says, is);
    panel.hidden = is;
    mark();
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
    if (target.closest?.(".infralens-close")) close(true);
    if (target.closest?.(".infralens-mark")) close(false);
    if (target.closest?.(".infralens-beside")) location.assign(`${HOME}beside.html#${location.pathname}${location.hash}`);
    const fix = target.closest?.(".infralens-apply")?.parentElement;
    if (fix) apply(fix);
    const command = target.closest?.(".infralens-copy")?.previousElementSibling;
    if (!command) return;
    try {
      await navigator.clipboard.writeText(command.textContent);
      toast("copied");
    } catch {
      // The clipboard is available only in a secure context; the reader can always copy by hand.
      getSelection().selectAllChildren(command);
      toast("selected, ready to be copied");
    }
  });

  /** Has the preview make a fix; then the page is updated as after any other edit. */
  async function apply(fix) {
    const response = await fetch(`${HOME}apply?${new URLSearchParams({ ...fix.dataset })}`, { method: "POST" }).catch(() => null);
    toast(response ? (await response.text()).trim() : "preview stopped");
  }

  addEventListener("keydown", (event) => {
    // First, this key closes other parts of the page, such as its search.
    const isFree = event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]");
    if (isFree && panelOf(document)?.hidden === false) close(true);
  });

  const notice = { stopped: false, toast: "", quiet: false, timer: 0, errors: "", node: null };

  /** Shows a message for a moment; a `quiet` one is only for screen readers. */
  function toast(text, quiet = false) {
    clearTimeout(notice.timer);
    [notice.toast, notice.quiet] = [text, quiet];
    if (text) notice.timer = setTimeout(toast, 2000, "");
    notify();
  }

  /** Returns the counts of the panel. */
  function counted() {
    const panel = panelOf(document);
    const summaries = panel && !panel.hidden ? [...panel.querySelectorAll(".infralens-list > summary")] : [];
    return summaries.map((summary) => summary.textContent).join(", ");
  }

  /** Announces to screen readers what others see. */
  function announce() {
    mark();
    const errors = counted();
    if (errors !== notice.errors) toast(errors || "no errors or warnings", true);
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
      // The initial content of such a node is not read out, so it is filled later.
      setTimeout(notify, 50);
      return;
    }
    notice.node.className = notice.toast && notice.quiet ? "infralens-quiet" : text ? "infralens-note" : "";
    notice.node.textContent = text;
  }

  // 6. Alt+click opens the source.

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
    // A link to an editor that is not installed does nothing and reports nothing.
    toast(`${file}:${line}`);
    if (url?.startsWith("http")) open(url, "_blank", "noopener");
    else if (url) location.assign(url);
  }

  /** Returns the parameters that locate an element; null if it is not part of the page's own content. */
  function place(target) {
    const root = target.closest(".practised") ?? target.closest("main");
    if (!root || target.closest(".infralens-bar, .infralens-panel")) return null;
    const page = location.pathname;
    const entry = target.closest("li[id], dd[id]");
    if (entry && /(^|-)R-./.test(entry.id)) return { page, reference: entry.id };
    const card = target.closest(".session .card");
    if (card) return asked(card, target);
    const line = target.closest(".line[id]");
    if (line) {
      const [excerpt, number] = line.id.split(/-?L/);
      const file = line.closest("figure")?.querySelector("figcaption a[href]");
      return { page: excerpt && file ? file.pathname : page, line: number };
    }
    const note = target.closest(".notes > li[id]");
    if (note) {
      // On a starter's page, a note has a link to the lab that contains it.
      const home = [...note.querySelectorAll("a[href]")].find((link) => /^#E\d+-N\d+$/.test(link.hash));
      const isAbroad = !note.id.startsWith("E") && home;
      return { page: isAbroad ? home.pathname : page, note: isAbroad ? home.hash.slice(1) : note.id };
    }
    const figure = target.closest("figure.excerpt[id], figure.calc[id]");
    if (figure) return { page, note: figure.id };
    const drawing = target.closest(".diagram");
    if (drawing) return { page, note: `D${[...root.querySelectorAll(".diagram")].indexOf(drawing) + 1}` };
    return passage(root, target, page);
  }

  /** Locates the question of a practice card, or a block of its answer, on the page that the card links to. */
  function asked(card, target) {
    const [home, back] = [card.querySelector(".source a[href]"), target.closest(".back")];
    if (!home) return null;
    const block = target.closest(BLOCKS);
    const text = words(!back ? card.querySelector(".asked") : back.contains(block) ? block : back);
    return { page: home.pathname, text, nth: 0 };
  }

  function passage(root, target, page) {
    // On a practice page, the heading is a link to the lab that contains the questions.
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

  /** Returns the letters and digits of a block's own text as it is written; for a formula, those of its source. */
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

  // At once, not when there is something to show: the server may be unavailable then.
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = `${HOME}preview.css`;
  style.setAttribute(LIVE, "");
  document.head.append(style);

  remember(document);
  add(document, own);
  dress(document);
  mark();
  notice.errors = counted();
  recall();
  arrive();
  subscribe();
  seen();
})();
