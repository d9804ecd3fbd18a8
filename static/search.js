// The search: a dialog over the page. The index is in scripts that hand over their data, so that it can be read from disk,
// too: `search/index.js` says where packs and shards begin, a shard lists the pages of its terms, a pack holds what is shown
// of its pages.
"use strict";
(() => {
  const app = window.infralens;
  if (app.search) return;
  const { $, $$, fill } = app;
  const PAGES = 8;
  const WORDS = 12;
  const SHOWN = 150;

  // Words: the same steps as in src/search/terms.rs.
  const DENSE =
    "\\u{e00}-\\u{eff}\\u{1000}-\\u{109f}\\u{1780}-\\u{17ff}\\u{3005}-\\u{3007}\\u{3040}-\\u{31ff}\\u{3400}-\\u{4dbf}" +
    "\\u{4e00}-\\u{9fff}\\u{a960}-\\u{a97f}\\u{ac00}-\\u{d7af}\\u{f900}-\\u{faff}\\u{20000}-\\u{3ffff}";
  const LETTER = `(?:(?![${DENSE}])[\\p{Alphabetic}\\p{N}\\p{M}])`;
  const WORD = `${LETTER}+(?:['’]${LETTER}+)*`;
  const RUN = new RegExp(`[${DENSE}]+|${WORD}(?:(?:_+|-)${WORD})*`, "gu");
  const IS_DENSE = new RegExp(`^[${DENSE}]`, "u");
  const PART = new RegExp(`(?:['’]?${LETTER})+`, "gu");
  const CAPITAL = /(?<=[\p{Lowercase}\p{N}]['’]?)(?=\p{Uppercase})|(?<=\p{Uppercase}['’]?)(?=\p{Uppercase}['’]?\p{Lowercase}['’]?\p{Lowercase})/u;
  const fold = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFKC");
  const lower = (word) => word.replace(/['’]/g, "").toLowerCase().replaceAll("ς", "σ");
  const term = (word) => {
    word = [...word].slice(0, 40).join("");
    if (!/^[a-z]{4,}$/.test(word)) return word;
    if (/ies$/.test(word) && !/[ea]ies$/.test(word)) word = word.slice(0, -2);
    else if (/es$/.test(word) && !/[aeo]es$/.test(word)) word = word.slice(0, -1);
    else if (/[^s]s$/.test(word) && !/..us$/.test(word.slice(1))) word = word.slice(0, -1);
    return word.length < 4 ? word : word.replace(/[ey]$/, (end) => (end === "y" ? "i" : ""));
  };
  // Where each of these lengths begins, one after the other.
  const starts = (from, lengths) => {
    let at = from;
    return lengths.map((length) => {
      at += length;
      return at - length;
    });
  };
  const placed = (from, words) => {
    const places = starts(from, words.map(({ length }) => length));
    return words.map((word, index) => ({ word, at: places[index], end: places[index] + word.length }));
  };
  // The parts of each run of a text, with their places.
  const runs = (text) =>
    Array.from(text.matchAll(RUN), ({ 0: run, index }) => {
      if (IS_DENSE.test(run)) return { dense: true, parts: placed(index, [...run]) };
      const parts = Array.from(run.matchAll(PART)).flatMap((part) => placed(index + part.index, part[0].split(CAPITAL)));
      for (const part of parts) part.word = lower(part.word);
      return { parts };
    });
  const pairs = ({ parts }) =>
    parts.slice(1).map((part, at) => ({ word: parts[at].word + part.word, at: parts[at].at, end: part.end }));
  const whole = ({ parts }) => parts.map(({ word }) => word).join("");
  const last = (list) => list[list.length - 1];
  app.terms = (text) =>
    runs(fold(text)).flatMap((run) => {
      if (run.dense) return [...pairs(run).map(({ word }) => word), last(run.parts).word];
      return [...run.parts.map(({ word }) => term(word)), ...(run.parts.length > 1 ? [term(whole(run))] : [])];
    });
  // What is asked for: each word by its parts, as a whole, and as it is typed. What is typed last may be a beginning.
  const asked = (text) => {
    const seen = new Set();
    const words = runs(fold(text)).map((run) => {
      const parts = run.dense && run.parts.length > 1 ? pairs(run) : run.parts;
      const typed = parts.map(({ word }) => word);
      const start = run.dense ? last(typed) : whole(run);
      return { parts: run.dense ? typed : typed.map(term), whole: term(start), start, end: last(typed) };
    });
    const isNew = ({ start }) => !seen.has(start) && seen.add(start);
    const some = words.filter(isNew).slice(0, WORDS);
    if (some.length) last(some).begun = true;
    return some;
  };

  // The index.
  let loaded = new Map();
  const takers = new Map();
  app.take = (name, data) => takers.get(name)?.(data);
  const load = (name, version = "") => {
    if (!loaded.has(name)) {
      const script = document.createElement("script");
      const data = new Promise((resolve, reject) => {
        takers.set(name, resolve);
        script.onload = script.onerror = () => reject(new Error(name));
        script.src = `${document.documentElement.dataset.root}search/${name}.js${version && `?${version}`}`;
        script.dataset.infralensLive = "";
        document.head.append(script);
      });
      const kept = loaded;
      const done = () => {
        script.remove();
        takers.delete(name);
      };
      data.catch(() => kept.delete(name)).finally(done);
      loaded.set(name, data);
    }
    return loaded.get(name);
  };
  document.addEventListener("infralens:update", () => (loaded = new Map()));

  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const pages = (postings) => {
    const pages = [];
    let page = 0;
    for (let at = 0; at < postings.length; at += 1) {
      let number = 0;
      let scale = 1;
      for (;;) {
        const digit = DIGITS.indexOf(postings[at]);
        number += (digit & 31) * scale;
        scale *= 32;
        if (digit < 32) break;
        at += 1;
      }
      page += Math.floor(number / 16);
      pages.push([page, number % 16]);
    }
    return pages;
  };
  const shard = async (index, at) => {
    const data = await load(`t${at}`, index.v);
    return data.split(",").map((line) => line.split(" "));
  };
  // The terms that are one, or begin with it: each with its pages. Those of a rare term are worth more.
  const find = async (index, word, isStart) => {
    const count = index.t.filter((first) => first <= word).length;
    let lines = await shard(index, count);
    if (isStart && index.t[count]?.startsWith(word)) lines = lines.concat(await shard(index, count + 1));
    const found = new Map();
    let isOpen = false;
    for (const [known, postings, all] of lines) {
      if (isStart ? !known.startsWith(word) : known !== word) continue;
      const listed = pages(postings);
      const rare = Math.log(1 + index.n / (Number(all) || listed.length));
      const worth = known === word ? rare : (rare * (word.length + 1)) / (known.length + 2);
      for (const [page, strength] of listed) found.set(page, Math.max(found.get(page) ?? 0, strength * worth));
      isOpen ||= Boolean(all);
    }
    return { found, isOpen };
  };
  // The pages that have all of these. One that is on too many pages to be listed keeps none out.
  const all = (parts) => {
    const closed = parts.filter(({ isOpen }) => !isOpen);
    const [first, ...others] = (closed.length ? closed : parts).map(({ found }) => [...found.keys()]);
    const union = closed.length ? first : [...new Set([first, ...others].flat())];
    const both = union.filter((page) => closed.every(({ found }) => found.has(page)));
    const sum = (page) => parts.reduce((sum, { found }) => sum + (found.get(page) ?? 0), 0);
    return { found: new Map(both.map((page) => [page, sum(page)])), isOpen: !closed.length };
  };
  const either = (ways) => {
    const found = new Map();
    for (const way of ways) for (const [page, worth] of way.found) found.set(page, Math.max(found.get(page) ?? 0, worth));
    return { found, isOpen: ways.some(({ isOpen }) => isOpen) };
  };
  const worth = async (index, word) => {
    const { parts, start, end } = word;
    const exact = async (parts) => all(await Promise.all(parts.map((part) => find(index, part, false))));
    const ways = [await exact(parts), ...(parts.length > 1 ? [await find(index, word.whole, false)] : [])];
    word.begun ||= ways.every(({ found }) => !found.size);
    if (word.begun) {
      ways.push(await find(index, start, true));
      const but = parts.slice(0, -1).map((part) => find(index, part, false));
      if (but.length) ways.push(all(await Promise.all([...but, find(index, end, true)])));
    }
    return either(ways);
  };
  // Pages by number, the best first, and whether they have all words.
  const rank = async (words) => {
    const index = { ...(await load("index")) };
    index.t = index.t ? index.t.split(" ") : [];
    index.p = starts(0, index.p);
    const worths = await Promise.all(words.map((word) => worth(index, word)));
    let { found } = all(worths);
    const hasAll = found.size > 0;
    if (!hasAll) {
      found = new Map();
      for (const each of worths)
        for (const [page, worth] of each.found) {
          const had = found.get(page) ?? [0, 0];
          found.set(page, [had[0] + worth, had[1] + 1]);
        }
      found = new Map([...found].map(([page, [sum, count]]) => [page, sum * count * count]));
    }
    const ranked = [...found].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([page]) => page);
    return { index, hasAll, ranked };
  };

  // Where the words are in a text. Each place has the numbers of the parts that are found there.
  const places = (text, words) => {
    let count = 0;
    const wanted = words.map((word) => ({ ...word, numbers: word.parts.map(() => count++) }));
    const found = [];
    const look = (typed, key, at, end) => {
      const meets = (word, part) =>
        word.parts[part] === key || (word.begun && part === word.parts.length - 1 && typed.startsWith(word.end));
      const numbers = wanted.flatMap((word) => word.numbers.filter((_, part) => meets(word, part)));
      if (numbers.length) found.push({ at, end, numbers, weight: 1 });
    };
    for (const run of runs(text)) {
      const { at } = run.parts[0];
      const { end } = last(run.parts);
      if (run.dense) {
        for (const { word, at, end } of [...pairs(run), ...run.parts]) look("", word, at, end);
        continue;
      }
      const typed = fold(whole(run));
      const key = term(typed);
      const isWhole = ({ parts, whole, begun, start }) =>
        run.parts.length + parts.length > 2 &&
        (whole === key || (begun && typed.startsWith(start) && start.length > run.parts[0].word.length));
      const wholes = wanted.filter(isWhole);
      if (wholes.length) found.push({ at, end, numbers: wholes.flatMap(({ numbers }) => numbers), weight: 5 });
      else for (const part of run.parts) look(fold(part.word), term(fold(part.word)), part.at, part.end);
    }
    return found;
  };
  const distinct = (places) => new Set(places.flatMap(({ numbers }) => numbers)).size;
  const weight = (places) => places.reduce((sum, { weight }) => sum + weight, 0);
  // The part of a text that has the most of the words.
  const excerpt = (text, words) => {
    const found = places(text, words);
    const near = ({ at }) => distinct(found.filter((place) => place.at >= at && place.end < at + SHOWN * 0.7));
    const best = found.reduce((best, place) => (best && near(best) >= near(place) ? best : place), undefined);
    const at = best?.at ?? 0;
    const before = Math.max(0, at - SHOWN * 0.3);
    const space = text.indexOf(" ", before) + 1;
    const from = before && space && space <= at ? space : before && at;
    const to = from + SHOWN < text.length ? Math.max(text.lastIndexOf(" ", from + SHOWN), best?.end ?? 0) : text.length;
    return (from > 0 ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
  };
  const marked = (name, className, text, words) => {
    const node = document.createElement(name);
    node.className = className;
    let at = 0;
    for (const place of places(text, words).sort((a, b) => a.at - b.at || b.end - a.end)) {
      if (place.end <= at) continue;
      const mark = document.createElement("mark");
      mark.textContent = text.slice(Math.max(at, place.at), place.end);
      node.append(text.slice(at, Math.max(at, place.at)), mark);
      at = place.end;
    }
    node.append(text.slice(at));
    return node;
  };
  // What is shown of a page below its title: sections, notes and lines that have the most of the words.
  const parts = (page, words) => {
    const weigh = (kind, hash, head, text, counts) => {
      const [heads, texts] = [places(head, words), places(text, words)];
      const has = distinct([...heads, ...texts]);
      return { kind, hash, head, text, has, worth: weight(heads) * counts + Math.min(weight(texts), 9) };
    };
    const found = [
      ...(page.s ?? []).map(([id, head, text]) => weigh("section", id, head, text, 8)),
      ...(page.n ?? []).map(([id, code, text]) => weigh("note", id, code, text, 6)),
      ...(page.c ?? []).map(([line, text]) => {
        const found = weigh("line", `L${line}`, String(line), text, 0);
        return { ...found, worth: found.worth + (page.d?.includes(line) ? 9 : 0) };
      }),
    ].filter(({ has }) => has);
    const most = Math.max(...found.map(({ has }) => has));
    const best = found.filter(({ has }) => has === most).sort((a, b) => b.worth - a.worth);
    return best.slice(0, 3);
  };

  // The dialog.
  let dialog, input, list, status, more, state, timer;
  let turn = 0;
  const options = () => $$("[role=option]", list);
  const choose = (option) => {
    for (const each of options()) each.setAttribute("aria-selected", each === option);
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  };
  const option = (page, hash, className, nodes) => {
    const link = document.createElement("a");
    link.href = document.documentElement.dataset.root + page.u + (hash ? `#${encodeURIComponent(hash)}` : "");
    state.options += 1;
    link.id = `search-${state.options}`;
    link.className = className;
    link.tabIndex = -1;
    link.setAttribute("role", "option");
    link.append(...nodes);
    return link;
  };
  const rows = (page, words) => {
    const found = parts(page, words);
    const intro = found.find(({ hash }) => !hash);
    const title = [marked("span", "title", page.t, words)];
    if (page.l) title.unshift(marked("span", "what", page.l, []));
    if (intro) title.push(marked("span", "text", excerpt(intro.text, words), words));
    const below = found.filter(({ hash }) => hash).map(({ kind, hash, head, text }) => {
      const shown = [marked("span", "head", head, kind === "line" ? [] : words)];
      if (text) shown.push(marked("span", "text", kind === "line" ? text : excerpt(text, words), words));
      return option(page, hash, `in-${kind}`, shown);
    });
    return [option(page, "", page.c ? "in-page in-file" : "in-page", title), ...below];
  };
  const group = (name) => {
    const known = [...list.children].find((group) => group.firstChild.textContent === name);
    if (known) return known;
    const node = document.createElement("div");
    const label = document.createElement("div");
    label.id = `search-group-${list.children.length}`;
    label.className = "group";
    label.textContent = name;
    node.setAttribute("role", "group");
    node.setAttribute("aria-labelledby", label.id);
    label.setAttribute("role", "presentation");
    node.append(label);
    list.append(node);
    return node;
  };
  const fragment = async (index, page) => {
    const first = index.p.findLast((first) => first <= page);
    const found = (await load(`p${first}`, index.v))[page - first];
    if (!found) throw new Error(`${page} is not in p${first}`);
    return found;
  };
  const fragments = ({ index, ranked }, from) =>
    Promise.all(ranked.slice(from, from + PAGES).map((page) => fragment(index, page)));
  const show = async () => {
    turn += 1;
    const current = turn;
    const words = asked(input.value);
    const { count, one, none, some, failed, empty } = dialog.dataset;
    const say = (text) => (status.textContent = text);
    const clear = () => {
      list.replaceChildren();
      more.hidden = true;
      input.setAttribute("aria-expanded", false);
      choose();
    };
    const done = () => list.removeAttribute("aria-busy");
    if (!words.length) {
      clear();
      done();
      return say(input.value.trim() ? none : empty);
    }
    try {
      const found = await rank(words);
      const first = await fragments(found, 0);
      if (current !== turn) return;
      state = { ...found, words, shown: 0, options: 0 };
      clear();
      add(first);
      const total = found.ranked.length;
      input.setAttribute("aria-expanded", total > 0);
      say(!total ? none : !found.hasAll && words.length > 1 ? some : total === 1 ? one : fill(count, { n: total }));
      list.scrollTop = 0;
      choose(options()[0]);
      done();
    } catch {
      if (current !== turn) return;
      clear();
      say(failed);
      done();
    }
  };
  const add = (pages) => {
    for (const page of pages) group(page.g).append(...rows(page, state.words));
    state.shown += pages.length;
    more.hidden = state.shown >= state.ranked.length;
  };
  const showMore = async () => {
    const current = turn;
    const next = await fragments(state, state.shown).catch(() => []);
    if (current === turn) add(next);
    input.focus();
  };
  const chosen = () => $("[aria-selected=true]", list);
  const pressed = (event) => {
    if (event.key === "Enter" && list.ariaBusy && !event.isComposing) {
      clearTimeout(timer);
      return show().then(() => chosen()?.click());
    }
    const all = options();
    const at = all.indexOf(chosen());
    const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at < 1 ? all.length : at) - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.isComposing || !all.length) return;
    if (event.key === "Enter" && at >= 0) {
      const { ctrlKey, metaKey, shiftKey } = event;
      all[at].dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
    } else if (to !== undefined && !event.shiftKey && !event.ctrlKey && !event.metaKey) choose(all[to]);
    else return;
    event.preventDefault();
  };
  const build = () => {
    dialog = $("#search").content.firstElementChild.cloneNode(true);
    [input, list, status, more] = ["input", "[role=listbox]", "[role=status]", ".more"].map((part) => $(part, dialog));
    input.addEventListener("input", () => {
      clearTimeout(timer);
      list.ariaBusy = true;
      timer = setTimeout(show, 80);
    });
    input.addEventListener("keydown", pressed);
    more.addEventListener("click", showMore);
    list.addEventListener("click", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey && event.target.closest("a")) dialog.close();
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest(".close")) dialog.close();
    });
    document.body.append(dialog);
  };
  app.search = (query) => {
    if (!dialog?.isConnected) build();
    if (!dialog.open) dialog.showModal();
    if (query !== undefined) input.value = query;
    input.select();
    show();
  };

  // The page for unknown addresses: what it may have been.
  const lost = $(".lost");
  if (!lost) return;
  let path = location.pathname;
  try {
    path = decodeURI(path);
  } catch {
    // It is no text: the words that are.
  }
  const words = asked(path.replace(/\.\w+$/, "").split("/").slice(-3).join(" "));
  if (!words.length) return;
  rank(words)
    .then((found) => fragments(found, 0))
    .then((found) => {
      const item = (page) => {
        const node = document.createElement("li");
        const link = marked("a", "", page.t, words);
        link.href = document.documentElement.dataset.root + page.u;
        node.append(link, " ", marked("span", "what", [page.l, page.g].filter(Boolean).join(" · "), []));
        return node;
      };
      $("ul", lost).replaceChildren(...found.map(item));
      lost.hidden = !found.length;
    })
    .catch(() => {});
})();
