// What the reader has read, practiced and predicted. It is kept in this browser alone, and shown on every page.
"use strict";
(() => {
  const { $, $$, fill, orders, storage, words: labels } = window.infralens;
  const html = document.documentElement;
  const VERSION = 2;
  const key = `infralens:course:${html.dataset.course}`;
  const link = (url) => html.dataset.root + url;

  /** A time, such that later ones are greater texts wherever the reader is. */
  const now = (time = Date.now()) => new Date(time).toISOString().replace(/\..*/, "Z");

  // The store: { version, course, title, read: { url: time }, last: { url, title, at, … }, cards: { id: card } }.
  const map = (entries) => Object.assign(Object.create(null), entries);
  const empty = () => ({ version: VERSION, course: html.dataset.course, title: $(".brand")?.textContent.trim() || $(".brand img")?.alt || "", read: map(), cards: map() });
  /** Whether a text has no half of a character, which cannot be stored. */
  const isWhole = (text) => !/\p{Cs}/u.test(text);
  const isText = (value) => typeof value === "string" && value.length < 2000 && isWhole(value);
  const isTime = (value) =>
    isText(value) && /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/.test(value) && !Number.isNaN(Date.parse(value));
  const isEncoded = (url) => {
    try {
      return isWhole(decodeURIComponent(url));
    } catch {
      return false;
    }
  };
  const isPage = (url) => isText(url) && /^(?!\/)[^:?#\\\0-\x20]+\.html$/.test(url) && isEncoded(url);
  const within = (value, from, to) => typeof value === "number" && value >= from && value <= to;
  const isCard = ([id, card]) =>
    /^[0-9a-f]{16}$/.test(id) && isText(card?.track) && [card.at, card.due, card.first].every(isTime) &&
    within(card.stability, 0.001, 36500) && within(card.difficulty, 1, 10);
  const isMap = (value, test) =>
    value !== null && typeof value === "object" && !Array.isArray(value) && Object.entries(value).every(test);
  const isLast = (last) =>
    isPage(last?.url) && isText(last.title) && isTime(last.at) &&
    [last.id, last.h].every((text) => text === undefined || isText(text)) &&
    [last.n, last.m].every((count) => count === undefined || within(count, 0, 1e6));
  /** Reads a store or an export. Version 1 had local times, without their zone. */
  const parse = (text) => {
    const renewed = (name, value) =>
      name === "version" && value === 1 ? VERSION : value?.length === 19 && isTime(`${value}Z`) ? now(Date.parse(value)) : value;
    try {
      return JSON.parse(text, renewed);
    } catch {
      return null;
    }
  };
  /** Returns what is wrong with a store or an export: "newer", "broken", or nothing. */
  const judge = (value) => {
    if (within(value?.version, VERSION + 1, Infinity)) return "newer";
    const isSound =
      value?.version === VERSION && isText(value.course) && isText(value.title) &&
      isMap(value.read, ([url, at]) => isPage(url) && isTime(at)) && isMap(value.cards, isCard) &&
      (value.last === undefined || isLast(value.last));
    return isSound ? "" : "broken";
  };

  let state = empty();
  let problem = "";

  function load() {
    // What could not be stored is only in memory.
    if (problem === "forbidden") return;
    const text = storage.read(key);
    const stored = typeof text === "string" ? parse(text) : empty();
    const fault = judge(stored);
    if (text === undefined) problem = "forbidden";
    else if (fault === "newer") problem = fault;
    else if (!fault) state = { ...stored, read: map(stored.read), cards: map(stored.cards) };
    else if (storage.write(key, null) && storage.write(`${key}:damaged:${now()}`, text)) {
      state = empty();
      problem = "damaged";
    } else problem = "forbidden";
  }

  /** Changes what is stored, as it is by now: another tab may have changed it, too. */
  function change(edit) {
    load();
    edit(state);
    if (problem !== "newer") {
      const isKept = storage.write(key, JSON.stringify(state));
      if (!isKept) problem = "forbidden";
      else if (problem === "forbidden") problem = "";
    }
    show();
  }

  const isRead = (url) => Object.hasOwn(state.read, url);
  /** The time of what is read now: later than all before, though the clock was set back. */
  const later = () =>
    now(Math.max(Date.now(), ...[...Object.values(state.read), state.last?.at ?? 0].map((at) => Date.parse(at) + 1000)));
  const latest = (url) => [state.read[url], state.last?.url === url && state.last.at].filter(Boolean).sort().at(-1);
  const trackOf = (url) => /^tracks\/([^/]+)\//.exec(url)?.[1];

  /** Takes over what was kept for earlier URLs of a page. */
  function follow() {
    const moved = Object.values(orders).flat().flatMap(([url, , , was = []]) => was.map((old) => ({ old, url })));
    const kept = moved.filter(({ old, url }) => old !== url && (isRead(old) || state.last?.url === old));
    if (!kept.length) return;
    change((state) => {
      for (const { old, url } of kept) {
        if (state.last?.url === old) state.last.url = url;
        if (state.read[old]) state.read[url] ??= state.read[old];
        delete state.read[old];
      }
    });
  }

  /** Returns what is next in a list of URLs in reading order: the page that its reader has begun, or else the first one
      that is unread after the page that was read last; or after a given page. */
  function nextOf(urls, after) {
    // Times are whole seconds: of pages of one second, the one that comes later in the reading order.
    const last = urls.filter(latest).reduce((found, url) => (found && latest(found) > latest(url) ? found : url), "");
    const at = urls.includes(after) ? urls.indexOf(after) + 1 : Math.max(urls.indexOf(last), 0);
    return [...urls.slice(at), ...urls.slice(0, at)].find((url) => !isRead(url));
  }

  /** Returns the one next step in a track, which every page names: a page, and where on it the reader left off. */
  function step(track, after) {
    const pages = orders[track] ?? [];
    const url = nextOf(pages.map(([url]) => url), after);
    if (!url) return null;
    const [, name, minutes] = pages.find(([known]) => known === url);
    const { last } = state;
    const isBegun = last?.url === url && Boolean(last.id);
    return { name, minutes, isBegun, href: link(url) + (isBegun ? `#${encodeURIComponent(last.id)}` : ""), last };
  }

  /** Returns the track that the reader read last. */
  function current() {
    const urls = Object.keys({ ...state.read, ...(state.last && { [state.last.url]: 1 }) }).filter(trackOf);
    const [url] = urls.sort((a, b) => (latest(a) > latest(b) ? -1 : 1));
    return url && decodeURIComponent(trackOf(url));
  }

  /** Shows the next step of a track: its page, where on it or how long it takes, and the button that leads there. */
  function offer(box) {
    const words = box.dataset;
    if (words.step) box.classList.add("ready");
    const track = words.step || current();
    const { name, minutes, isBegun, href, last } = step(track) ?? {};
    // A new reader finds the beginning there.
    box.classList.toggle("begun", Boolean(track && orders[track]?.some(([url]) => latest(url))));
    if (!orders[track]?.some(([url]) => latest(url))) return;
    const where = last?.n ? words.note : words.at;
    $(".over", box).textContent = isBegun ? words.leftOff : words.next;
    $(".left a", box).textContent = name ?? words.all;
    $(".left span", box).textContent = !name ? "" : isBegun ? fill(where, last) : ` · ${fill(labels.min, { n: minutes })}`;
    $(".button", box).textContent = name ? words.go : words.practice;
    const practice = link(`tracks/${encodeURIComponent(track)}/practice.html`);
    for (const a of $$(".left a, .button", box)) a.href = href ?? practice;
  }

  /** Sums up a list of pages in words: how many labs are read, and how long the rest takes. */
  function sum(pages) {
    const time = (n) => (n < 60 ? "" : `${fill(labels.hours, { n: Math.floor(n / 60) })}\u00a0`) + fill(labels.min, { n: n < 60 ? n : n % 60 });
    const minutes = (list) => time(list.reduce((all, [, , minutes]) => all + minutes, 0));
    const labs = pages.filter(([url]) => url.includes("/labs/"));
    const left = pages.filter(([url]) => !isRead(url));
    const n = labs.length - labs.filter((lab) => left.includes(lab)).length;
    return fill(labs.length ? labels.labs_read : labels.time_read, { n, m: labs.length, left: minutes(left) });
  }

  /** The page that a node stands for: the entries of the course column say it by their links alone. */
  const pageOf = (node) => node.dataset.read ?? node.href.slice(new URL(link("."), location.href).href.length);

  /** Classes `read` and `next` on all that stands for a page; a list in reading order tells what is next. */
  function marks() {
    const pages = "[data-read], .course ol > li > a";
    const lists = $$("[data-order]").map((list) => $$(pages, list).map(pageOf));
    const next = new Set([...lists, ...Object.values(orders).map((order) => order.map(([url]) => url))].map((urls) => nextOf(urls)));
    for (const node of $$(pages)) {
      const url = pageOf(node);
      node.classList.toggle("read", isRead(url));
      node.classList.toggle("next", next.has(url));
      const label = $(".is-read", node);
      if (!isRead(url)) label?.remove();
      if (!isRead(url) || label || node instanceof SVGElement) continue;
      const added = Object.assign(document.createElement("span"), { className: "is-read hidden", textContent: labels.is_read });
      added.dataset.infralensLive = "";
      (node.matches("a") ? node : $("a", node))?.append(added);
    }
  }

  /** Says once what is wrong with the store: the first time in a tab, and always on the page of progress. */
  let said = "";
  function tell() {
    const told = `${key}:told`;
    if (problem && said !== problem && !$(".ledger")) {
      try {
        if (sessionStorage.getItem(told) === problem) return;
        sessionStorage.setItem(told, problem);
      } catch {
        // Then the next page shows the message again.
      }
    }
    said = problem;
    const [first] = $$(".store");
    if (first) first.textContent = labels[`store_${problem}`] ?? "";
  }

  function show() {
    marks();
    const mark = $(".mark");
    if (mark) mark.textContent = isRead(html.dataset.page) ? labels.unmark_read : labels.mark_read;
    $("main")?.classList.toggle("is-read", Boolean(mark) && isRead(html.dataset.page));
    $$("[data-step]").forEach(offer);
    const onward = $(".steps .next[data-track]");
    const { name, minutes, href } = (onward && step(onward.dataset.track, html.dataset.page)) ?? {};
    if (name) {
      onward.href = href;
      $("b", onward).textContent = name;
      $(".time", onward).textContent = ` · ${fill(labels.min, { n: minutes })}`;
    }
    for (const box of $$(".so-far")) {
      const pages = orders[box.dataset.track];
      if (pages) box.firstElementChild.textContent = sum(pages);
      const bar = $("progress", box);
      if (pages) Object.assign(bar, { max: pages.length, value: pages.filter(([url]) => isRead(url)).length });
      box.classList.toggle("ready", Boolean(pages));
    }
    for (const field of $$(".guess input")) field.value = storage.read(guess(field)) ?? "";
    tell();
    document.dispatchEvent(new CustomEvent("infralens:progress"));
  }

  // The page itself: whether it is read, and where its reader was when leaving it.
  let isDone = false;
  function finish(read) {
    const { page: url } = html.dataset;
    isDone = read;
    change((state) => {
      const at = later();
      if (read) state.read[url] = at;
      else delete state.read[url];
      if (read) state.last = { url, title: $(".done").dataset.heading, at };
    });
  }

  // What the reader predicts; Enter opens the answer.
  const guess = (field) => `${key}:guess:${field.name}`;
  document.addEventListener("input", ({ target }) => target.closest(".guess") && storage.write(guess(target), target.value || null));
  document.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target.closest(".guess")) target.closest(".predict").firstElementChild.open = true;
  });

  // How long the page has been seen. Who goes on from its end counts as its reader after a tenth of the minutes that it takes.
  let seen = 0;
  let since = document.hidden ? Infinity : performance.now();
  const spent = () => seen + Math.max(performance.now() - since, 0);
  function watch() {
    seen = spent();
    since = document.hidden ? Infinity : performance.now();
  }
  const isPlausible = () => spent() >= Number($(".done").dataset.minutes) * 6000;

  function place() {
    const [, id, excerpt, n] = /^#((E\d+)-N(\d+))$/.exec(location.hash) ?? [];
    const note = id && document.getElementById(id)?.getBoundingClientRect();
    if (note && note.bottom > 0 && note.top < innerHeight) {
      return { id, n: Number(n), m: $$(`[id^="${excerpt}-N"]`).length };
    }
    const heading = $$("main h2[id]").findLast((node) => node.getBoundingClientRect().top < innerHeight / 2);
    return heading ? { id: heading.id, h: heading.textContent.replace(/\s*#$/, "") } : {};
  }

  function leave() {
    const done = $(".done");
    if (!done || isDone) return;
    const last = { url: html.dataset.page, title: done.dataset.heading, ...place() };
    change((state) => (state.last = { ...last, at: later() }));
  }

  document.addEventListener("click", (event) => {
    if (!$(".done")) return;
    const next = event.target.closest?.("a[rel=next]");
    if (event.target.closest?.(".mark")) finish(!isRead(html.dataset.page));
    else if (next && isPlausible() && !isRead(html.dataset.page)) finish(true);
  });
  document.addEventListener("visibilitychange", () => {
    watch();
    if (document.hidden) leave();
  });
  addEventListener("hashchange", leave);
  addEventListener("pagehide", leave);

  const renew = () => {
    load();
    follow();
    show();
  };
  addEventListener("storage", (event) => (event.key === key || event.key === null) && renew());
  addEventListener("pageshow", (event) => event.persisted && renew());
  document.addEventListener("infralens:update", show);

  const store = { get state() { return state; }, get problem() { return problem; }, key, empty, change, judge, parse, now, isRead, link, step, current, sum, finish, renew };
  window.infralens.store = store;
  renew();
  // A page that is gone is offered no more.
  const gone = html.dataset.page === "404.html" && state.last;
  if (gone && new URL(link(gone.url), location.href).pathname === location.pathname) change((state) => delete state.last);
})();
