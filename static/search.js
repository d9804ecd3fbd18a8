// The search: a dialog over the page. The index is in scripts that hand over their data, so that it can be read from disk,
// too: a list says where packs and shards begin, a shard lists the pages of its terms, `h0` has the titles of the first pages,
// a pack has their text. Their names have a hash of what is in them, which the list has, too; its own name has this script's. A
// page is what the index has an entry for, so a term of the glossary, too.
"use strict";
(() => {
  const app = window.infralens;
  if (app.search) return;
  const { $, $$, fill, storage, words: labels } = app;
  const VERSION = /** @type {HTMLScriptElement} */ (document.currentScript).src.split(".").at(-2);
  const PAGES = 8;
  const WORDS = 12;
  const SHOWN = 150;
  // The strength of a term that is the page's name, or is defined there.
  const NAME = 15;
  // How much more a page of the track that is being read is worth, one whose name begins so, and one that has the query as it
  // is typed.
  const NEARBY = 1.5;
  const BEGUN = 1.5;
  const LITERAL = 1.5;
  const LITERAL_CODE = 10;
  const IS_CODE = /[^\p{L}\p{N}\p{M}\s§'’"“”?!.,:-]|\p{Ll}\p{Lu}|\p{L}\.\p{L}/u;
  // Signs of names and units, which are no code: C++, C#, 45 %, GB/s.
  const NAME_SIGNS = /\+\+|#|%|(?<=\p{L})\/(?=\p{L})/gu;
  // A word on more than this share of the pages is not looked up as the name of a definition.
  const COMMON = 1 / 8;
  // How many pages have their titles in one file, and how many there may be for all titles to be loaded in advance.
  const HEADS = 256;
  const MAX_AHEAD = 512;
  // After how many milliseconds titles are shown without their texts.
  const SLOW = 20;
  // Where words are looked for that are spelled like one that nothing contains.
  const NEAR_SHARDS = 6;
  // The hex digits of a file's hash.
  const HASH = 8;
  // After how many milliseconds the list is asked for again when the search is opened.
  const MAX_AGE = 300_000;
  // How many queries this browser remembers.
  const RECENT = 6;

  // Words: the same steps as in crates/site/src/search/terms.rs.
  const DENSE =
    "\\u{e00}-\\u{eff}\\u{1000}-\\u{109f}\\u{1780}-\\u{17ff}\\u{3005}-\\u{3007}\\u{3040}-\\u{31ff}\\u{3400}-\\u{4dbf}" +
    "\\u{4e00}-\\u{9fff}\\u{a960}-\\u{a97f}\\u{ac00}-\\u{d7af}\\u{f900}-\\u{faff}\\u{20000}-\\u{3ffff}";
  const REMOVED =
    "\\u{300}-\\u{36f}\\u{591}-\\u{5bd}\\u{5bf}\\u{5c1}-\\u{5c2}\\u{5c4}-\\u{5c5}\\u{5c7}\\u{610}-\\u{61a}" +
    "\\u{64b}-\\u{65f}\\u{670}\\u{6d6}-\\u{6dc}\\u{6df}-\\u{6e4}\\u{6e7}-\\u{6e8}\\u{6ea}-\\u{6ed}\\u{8d3}-\\u{8e1}" +
    "\\u{8e3}-\\u{8ff}\\u{20d0}-\\u{20f0}\\u{fe00}-\\u{fe0f}\\u{ad}\\u{61c}\\u{640}\\u{180e}\\u{200b}-\\u{200f}" +
    "\\u{202a}-\\u{202e}\\u{2060}-\\u{2064}\\u{2066}-\\u{206f}\\u{feff}\\u{e0000}-\\u{e0fff}";
  const REPLACED = "ßss ẞSS łl ŁL đd ĐD ðd ÐD øo ØO æae ÆAe œoe ŒOe ıi ħh ĦH þth ÞTh";
  const OPERATORS = "-+*/%=<>!&|^:";
  const LETTER = `(?:(?![${DENSE}])[§\\p{Alphabetic}\\p{N}\\p{M}])`;
  const ALPHABETIC = `(?:(?![${DENSE}])\\p{Alphabetic})`;
  // In a text that is not folded, there may be soft hyphens and the like in words.
  const WORD = `${LETTER}+(?:(?:['’]|[${REMOVED}]+)${LETTER}+)*`;
  // A number with separators or with a unit, a dot and signs that belong to a word, several operators.
  const UNIT = `[ \u00a0]?(?:%|${ALPHABETIC}{1,5}(?![+#]|(?:['’-]|_+)?${LETTER}))`;
  const NUMBER = `[0-9]+(?:(?:,[0-9]{3}(?![0-9])|\\.[0-9]+)+(?:${UNIT})?|${UNIT})`;
  const DOT = `(?<![.)\\]}${DENSE}§\\p{Alphabetic}\\p{N}\\p{M}])\\.(?=${ALPHABETIC})`;
  const SIGNS = `(?:\\+\\+(?!\\+)|#(?!#|${LETTER}))`;
  const OPERATOR = `(?<![${OPERATORS}])[${OPERATORS}]{2,3}(?![${OPERATORS}])`;
  const RUN = new RegExp(`(?<dense>[${DENSE}]+)|(?<number>${NUMBER})|(?<dot>${DOT})?${WORD}(?:(?:_+|-)${WORD})*(?<signs>${SIGNS})?|(?<operator>${OPERATOR})`, "gu");
  const LETTERS = new RegExp(`[${DENSE}]|${LETTER}|${DOT}|(?<=${LETTER})${SIGNS}`, "gu");
  const PART = new RegExp(`(?:(?:['’]|[${REMOVED}]+)?${LETTER})+`, "gu");
  const FIGURE = new RegExp(`[0-9]+|${ALPHABETIC}+`, "gu");
  const CAPITAL = /(?<=[\p{Lowercase}\p{N}]['’]?)(?=\p{Uppercase})|(?<=\p{Uppercase}['’]?)(?=\p{Uppercase}['’]?\p{Lowercase}['’]?\p{Lowercase})/u;
  const UNSEEN = new RegExp(`[${REMOVED}]`, "gu");
  const letters = new Map(REPLACED.split(" ").map((pair) => [pair[0], pair.slice(1)]));
  const LETTERED = new RegExp(`[${[...letters.keys()].join("")}]`, "g");
  const fold = (text) =>
    text.normalize("NFKD").replace(UNSEEN, "").replace(LETTERED, (letter) => letters.get(letter)).normalize("NFKC");
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
  // The runs of a text: their parts with their places, and the terms that each is as a whole. `isExact` is a run whose parts
  // say something else: C++ is not C, and 80 GB is not 80 of something and some GB.
  const runs = (text) =>
    Array.from(text.matchAll(RUN), ({ 0: run, index: at, groups: { dense, operator, number, dot = "", signs = "" } }) => {
      const cut = ({ 0: part, index }) => placed(at + index, number ? [part] : part.split(CAPITAL));
      const parts = dense || operator ? placed(at, dense ? [...run] : [run]) : Array.from(run.matchAll(number ? FIGURE : PART)).flatMap(cut);
      for (const part of parts) part.word = lower(part.word);
      let typed = parts.map(({ word }) => word).join("");
      let wholes = parts.length > 1 && !dense ? [term(fold(typed))] : [];
      let isExact = Boolean(operator || /^\d+$/.test(typed));
      if (number) {
        const digits = /^[\d.,]+/.exec(run)[0];
        const [known, unit] = [digits.replaceAll(",", ""), lower(run.slice(digits.length).trim())];
        wholes = [...(digits === parts[0].word ? [] : [known]), ...(unit ? [term(known + term(unit))] : [])];
        [typed, isExact] = [known + unit, true];
      } else if (parts.length === 1 && (dot || signs)) {
        wholes = [term(dot + fold(typed) + signs)];
        [typed, isExact] = [dot + typed + signs, true];
      }
      return { at, end: at + run.length, dense: Boolean(dense), parts, wholes, typed, isExact };
    });
  const pairs = ({ parts }) =>
    parts.slice(1).map((part, at) => ({ word: parts[at].word + part.word, at: parts[at].at, end: part.end }));
  const last = (list) => list[list.length - 1];
  app.terms = (text) =>
    runs(fold(text)).flatMap((run) => {
      if (run.dense) return [...pairs(run).map(({ word }) => word), last(run.parts).word];
      return [...run.parts.map(({ word }) => term(word)), ...run.wholes];
    });
  app.key = (text) => term(lower((fold(text).match(LETTERS) ?? []).join("")));
  // What is asked for: each word by its parts, as a whole, and as it is typed. What is typed last may be a beginning.
  const asked = (text) => {
    const seen = new Set();
    const words = runs(fold(text)).map((run) => {
      const parts = run.dense && run.parts.length > 1 ? pairs(run) : run.parts;
      const typed = parts.map(({ word }) => word);
      const terms = run.dense ? typed : typed.map(term);
      const { typed: start, dense: isDense, isExact } = run;
      return { parts: terms, whole: last([terms[0], ...run.wholes]), start, end: last(typed), isDense, isExact };
    });
    const isNew = ({ start }) => !seen.has(start) && seen.add(start);
    const some = words.filter(isNew).slice(0, WORDS);
    if (some.length) last(some).begun = true;
    return some;
  };
  // A text as it is compared with what is typed: spaces do not matter.
  const squeeze = (text) => fold(text).toLowerCase().replace(/\s+/g, "");
  // A query: its words, as it is typed, as a name, and whether it looks like code.
  const read = (text) => ({ words: asked(text), typed: squeeze(text), name: app.key(text), isCode: IS_CODE.test(text.replace(NAME_SIGNS, "")) });

  // The index.
  let loaded = new Map();
  const takers = new Map();
  app.take = (name, data) => takers.get(name)?.(data);
  // Loads a file, which hands over its data under a name.
  const load = (name, file) => {
    if (!loaded.has(name)) {
      const script = document.createElement("script");
      const data = new Promise((resolve, reject) => {
        takers.set(name, resolve);
        script.src = document.documentElement.dataset.root + file;
        script.onload = script.onerror = () => reject(script.src);
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
  const part = ({ v }, form, name, at) => load(form + name, `assets/search-${form + name}.${v["hpt".indexOf(form)].substr(at * HASH, HASH)}.js`);
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
    const data = await part(index, "t", at, at);
    return data.split(",").map((line) => line.split(" "));
  };
  const shardOf = (index, word) => index.t.filter((first) => first <= word).length;
  // The pages that have a term, or one that begins with it, and those that have it as a name. A rare term is worth more.
  const find = async (index, word, isStart) => {
    let number = shardOf(index, word);
    let lines = await shard(index, number);
    while (isStart && index.t[number]?.startsWith(word) && number < shardOf(index, word) + 2) {
      number += 1;
      lines = lines.concat(await shard(index, number));
    }
    const fits = lines.filter(([known]) => (isStart ? known.startsWith(word) : known === word));
    const listed = fits.map(([known, postings, all]) => ({ known, pages: pages(postings), all: Number(all) || 0 }));
    const count = new Set(listed.flatMap(({ pages }) => pages.map(([page]) => page))).size;
    const rare = Math.log(1 + index.n / Math.max(count, ...listed.map(({ all }) => all)));
    const found = new Map();
    const named = new Set();
    for (const { known, pages } of listed) {
      const worth = known === word ? rare : (rare * (word.length + 1)) / (known.length + 2);
      for (const [page, strength] of pages) {
        found.set(page, Math.max(found.get(page) ?? 0, strength * worth));
        if (strength === NAME) named.add(page);
      }
    }
    const isOpen = listed.some(({ all }) => all);
    return { found, named, isOpen };
  };
  // How many letters must be typed otherwise for one word to be the other: Damerau's distance, up to a limit.
  const distance = (from, to, limit) => {
    if (Math.abs(from.length - to.length) > limit) return limit + 1;
    let [before, above] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
    for (let row = 1; row <= from.length; row += 1) {
      const next = [row];
      for (let at = 1; at <= to.length; at += 1) {
        const other = from[row - 1] === to[at - 1] ? 0 : 1;
        next[at] = Math.min(above[at] + 1, next[at - 1] + 1, above[at - 1] + other);
        const swapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
        if (swapped) next[at] = Math.min(next[at], before[at - 2] + 1);
      }
      if (Math.min(...next) > limit) return limit + 1;
      [before, above] = [above, next];
    }
    return above[to.length];
  };
  // The term that is most like a word that nothing contains, among those that begin as it does: it is spelled like it, or it
  // is the word without its ending.
  const similar = async (index, { whole: word, start, isDense, isExact }) => {
    const limit = start.length < 4 || isDense || isExact ? 0 : start.length < 8 ? 1 : 2;
    if (!limit) return undefined;
    const range = (start) => [shardOf(index, start), shardOf(index, `${start}\uffff`)];
    let [from, to] = range(word[0]);
    if (to - from >= NEAR_SHARDS) [from, to] = range(word.slice(0, 2));
    from = Math.max(from, Math.min(shardOf(index, word) - NEAR_SHARDS / 2, to - NEAR_SHARDS + 1));
    const numbers = Array.from({ length: Math.min(to - from + 1, NEAR_SHARDS) }, (_, at) => from + at);
    const lines = (await Promise.all(numbers.map((number) => shard(index, number)))).flat();
    const isStem = (known) => known.length > 4 && known.length > word.length - 4 && word.startsWith(known);
    const far = (known) => (known[0] !== word[0] ? limit + 1 : isStem(known) ? 1 : distance(word, known, limit));
    const same = (known) => [...known].findIndex((letter, at) => letter !== word[at]) >>> 0;
    const known = lines.map(([known, postings]) => [known, far(known), same(known), postings.length]);
    const near = known.filter(([, far]) => far <= limit);
    return near.sort((a, b) => a[1] - b[1] || b[2] - a[2] || b[3] - a[3])[0]?.[0];
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
    const { parts, start, end, isDense } = word;
    const isWhole = parts.length > 1 && !isDense;
    if (word.isExact) {
      const found = await find(index, word.whole, false);
      if (found.found.size) return found;
      word.isExact = false;
    }
    const exact = async (parts) => all(await Promise.all(parts.map((part) => find(index, part, false))));
    const ways = [await exact(parts), ...(isWhole ? [await find(index, word.whole, false)] : [])];
    word.begun ||= ways.every(({ found }) => !found.size);
    if (word.begun) {
      if (!isDense || parts.length === 1) ways.push(await find(index, start, true));
      const but = parts.slice(0, -1).map((part) => find(index, part, false));
      if (but.length) ways.push(all(await Promise.all([...but, find(index, end, true)])));
    }
    if (ways.some(({ found }) => found.size)) return either(ways);
    const near = await similar(index, word);
    if (!near) return either(ways);
    Object.assign(word, { near, typed: start, parts: [near], whole: near, start: near, end: near, begun: false });
    return find(index, near, false);
  };
  // When the list was loaded, and how it is loaded again, past what the browser has kept of it.
  let loadedAt = Date.now();
  let renewed = "";
  const listed = () => load("index", `search/index.${VERSION}.js${renewed}`);
  const contents = async () => {
    const index = { ...(await listed()) };
    index.t = index.t ? index.t.split(" ") : [];
    index.p = starts(0, index.p);
    index.of = index.r.flatMap(([group, count]) => Array(count).fill(index.g[group]));
    return index;
  };
  // Loads the list again, because a file is gone or time has passed. Returns whether it is another: then the site has been
  // published again, and nothing is kept. If there is none to be had, what is there stays.
  let isNewer = false;
  let missing = "";
  const renew = async () => {
    const old = loaded.get("index");
    missing = "";
    const known = await old?.catch(() => {});
    loaded.delete("index");
    [loadedAt, renewed] = [Date.now(), `?${Date.now()}`];
    const index = await listed().catch((url) => void (missing = url));
    if (known && !index) loaded.set("index", old);
    const isOther = Boolean(index) && known?.v.join() !== index.v.join();
    if (isOther) loaded = new Map([["index", loaded.get("index")]]);
    isNewer ||= isOther && Boolean(known) && location.protocol !== "file:";
    return isOther;
  };
  // The track that is being read.
  const track = () => {
    const current = [document.documentElement.dataset.page, $("header [aria-current]")?.getAttribute("href")];
    return /\btracks\/([^/\n]+)\//.exec(current.join("\n"))?.[1];
  };
  // Pages by number, the best first, and whether they have all words. What has just this name or defines it comes first, and
  // what is outside of the tracks last.
  const rank = async (query) => {
    const { words, name, isCode } = query;
    const index = await contents();
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
    const called = words.some(({ near }) => near) ? words.map(({ whole }) => whole).join("") : name;
    // A name that goes on has the ending's own letter: "memory" is `memori` only at the end of a name.
    const [exact, begun] = await Promise.all([find(index, called, false), find(index, called.replace(/i$/, ""), true)]);
    for (const page of exact.named) if (!found.has(page)) found.set(page, exact.found.get(page));
    const here = track();
    const isWord = exact.found.size > index.n * COMMON;
    const value = ([page, worth]) => {
      const { n, c, l, w } = index.of[page];
      const isNamed = exact.named.has(page) && !(c && isWord);
      const tier = isNamed ? (c ? 2 : 3) - (l ? 0.5 : 0) : l ? 0 : 1;
      const factors = [n && n === here ? NEARBY : 1, begun.named.has(page) ? BEGUN : 1, isCode ? 1 : w / 100];
      return { page, tier, worth: factors.reduce((worth, factor) => worth * factor, worth) };
    };
    const ranked = [...found].map(value).sort(byWorth);
    return { ...query, index, hasAll, ranked };
  };
  const byWorth = (a, b) => b.tier - a.tier || b.worth - a.worth || a.page - b.page;

  // Where the words are in a text. Each place has the numbers of the parts that are found there.
  const places = (text, words) => {
    let count = 0;
    const wanted = words.map((word) => ({ ...word, numbers: word.parts.map(() => count++) }));
    const found = [];
    const look = (typed, key, at, end) => {
      const meets = (word, part) =>
        word.isExact
          ? word.whole === key
          : word.parts[part] === key || (word.begun && part === word.parts.length - 1 && typed.startsWith(word.end));
      const numbers = wanted.flatMap((word) => word.numbers.filter((_, part) => meets(word, part)));
      if (numbers.length) found.push({ at, end, numbers, weight: 1 });
    };
    for (const run of runs(text)) {
      const { at, end } = run;
      if (run.dense) {
        for (const { word, at, end } of [...pairs(run), ...run.parts]) look("", word, at, end);
        continue;
      }
      const typed = fold(run.typed);
      const keys = [...run.wholes, ...(run.parts.length > 1 ? [] : [term(fold(run.parts[0].word))])];
      const isWhole = ({ parts, whole, begun, start, isExact, isDense }) =>
        !isDense && (isExact || run.parts.length + parts.length > 2) &&
        (keys.includes(whole) || (!isExact && begun && typed.startsWith(start) && start.length > run.parts[0].word.length));
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
    if (text.length < SHOWN * 1.5) return text;
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
  // What is shown of a page below its title: sections, notes and lines that have the most of the words. First come those that
  // have the query as it is typed, and definitions of what is asked for.
  const parts = (page, { words, typed, name }, isNotes) => {
    const weigh = (kind, hash, head, text, counts, more = {}) => {
      const [heads, texts, kinds] = [head, text, more.kinds ?? ""].map((each) => places(each, words));
      const has = distinct([...heads, ...texts, ...kinds]);
      const isLiteral = has && squeeze(`${head} ${text}`).includes(typed);
      const worth = weight(heads) * counts + Math.min(weight(texts), 9) + (isLiteral ? 100 : 0);
      return { kind, hash, head, text, has, isLiteral, worth: worth + weight(kinds) * 6, place: "", ...more, kinds: kinds.length ? more.kinds : "" };
    };
    const lines = page.c?.split("\n") ?? [];
    const within = (line) => page.d?.findLast(([from, to]) => from <= line && line <= to)?.[2] ?? "";
    const line = (text, at) => {
      const [from, cell] = page.k?.findLast(([first]) => first <= at + 1) ?? [];
      const hash = cell ? `${cell}-L${at + 2 - from}` : `L${at + 1}`;
      const found = weigh("line", hash, "", text, 0, { place: within(at + 1) || cell || "" });
      const defined = (page.d ?? []).filter(([from]) => from === at + 1).map(([, , name]) => name);
      const isName = defined.some((each) => app.key(each) === name);
      return { ...found, worth: found.worth + (isName ? 200 : defined.some((each) => places(each, words).length) ? 9 : 0) };
    };
    const found = [
      ...(isNotes ? [] : (page.s ?? [])).map(([id, head, text, kinds]) => weigh("section", id, head, text, 8, { kinds })),
      ...(page.n ?? []).map(([id, code, text, at]) => weigh("note", id, code, text, 6, { place: page.s?.[at]?.[1] ?? "" })),
      ...(isNotes ? [] : lines).map(line),
    ].filter(({ has }) => has);
    const most = Math.max(...found.map(({ has }) => has));
    const best = found.filter(({ has }) => has === most).sort((a, b) => b.worth - a.worth);
    return best.slice(0, 3);
  };

  // The queries that led somewhere, the last one first. They stay in this browser, and are erased with the progress.
  const KEPT = `infralens:course:${document.documentElement.dataset.course}:searches`;
  const kept = () => {
    try {
      return JSON.parse(storage.read(KEPT) ?? "[]").filter((text) => typeof text === "string").slice(0, RECENT);
    } catch {
      return [];
    }
  };
  const remember = (query) => {
    const others = kept().filter((text) => text !== query);
    storage.write(KEPT, JSON.stringify([query, ...others].slice(0, RECENT)));
  };
  // The query is part of the state of the page from which a result was opened, so that it is there again after Back. Neither
  // the address nor the list of pages changes.
  const keep = (search) => {
    if (search || history.state?.search) history.replaceState({ ...history.state, search }, "");
  };

  // The dialog.
  let isLeaving = false;
  let dialog, input, list, status, more, state, timer;
  let turn = 0;
  const options = () => $$("[role=option]", list);
  const choose = (option) => {
    for (const each of options()) each.setAttribute("aria-selected", each === option);
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  };
  const option = ({ head: [url] }, hash, className, nodes) => {
    const link = document.createElement("a");
    link.href = document.documentElement.dataset.root + url + (hash ? `#${encodeURIComponent(hash)}` : "");
    state.options += 1;
    link.id = `I-search-${state.options}`;
    link.className = className;
    link.tabIndex = -1;
    link.setAttribute("role", "option");
    link.append(...nodes);
    return link;
  };
  const plain = (className, text) => marked("span", className, text, []);
  // A row for the page, where its title or its beginning has what is asked for, and rows for what else of it has.
  const rows = (page, { words, typed, isCode }) => {
    const { head: [, title, label], group, found, tier } = page;
    const intro = found.find(({ hash }) => !hash);
    const below = found.filter(({ hash }) => hash);
    const inTitle = distinct(places(title, words));
    const isAsked = tier >= 2 && !group.c;
    const isPhrase = found[0]?.isLiteral && found[0].hash && (words.length > 1 || isCode) && !squeeze(title).includes(typed);
    const isNamed = isAsked || !below.length || (!isPhrase && (intro || inTitle >= (group.c ? below[0].has : 1)));
    // What it is stands before each row, as it does on its page: the number of a line, or of a note in its ring.
    const row = (part) => {
      const { kind: form, hash, head, text, kinds } = part;
      const said = { line: `${dialog.dataset.line} `, note: `${dialog.dataset.note} ` }[form] ?? "";
      const shown = [plain("sign", /\d*$/.exec(form === "section" ? "" : hash)[0])];
      shown[0].prepend(plain("hidden", said));
      if (head) shown.push(marked("span", "head", head, words));
      if (text) shown.push(marked("span", "text", form === "line" ? text : excerpt(text, words), words));
      // Beside a line is what it is within, and beside a section what it has: a table, a figure.
      const place = plain("place", kinds || part.place);
      if (!isNamed) place.prepend(plain("hidden", `${title}${place.textContent && " › "}`));
      if (place.textContent) shown.push(place);
      return option(page, hash, `in-${form} in-part`, shown);
    };
    // The number of a lab or a section; the group above says of what. Other pages have a sign.
    const number = /\S*\d\S*$/.exec(label)?.[0] ?? "";
    const name = [plain("sign", number), marked("span", "title", title, words)];
    name[0].prepend(plain("hidden", label.slice(0, label.length - number.length)));
    if (!number) name[0].classList.add("leaf");
    const className = group.c ? "in-page in-file" : "in-page";
    // The page of parts that come before it is no choice of its own.
    if (!isNamed) return [over(option(page, "", `${className} over`, name)), ...below.map(row)];
    const about = intro?.text ?? page.about;
    if (about) name.push(marked("span", "text", excerpt(about, words), words));
    return [option(page, "", className, name), ...below.map(row)];
  };
  const over = (link) => {
    state.options -= 1;
    for (const name of ["id", "role"]) link.removeAttribute(name);
    link.setAttribute("aria-hidden", "true");
    return link;
  };
  const group = (name) => {
    const known = [...list.children].find((group) => group.firstChild.textContent === name);
    if (known) return known;
    const node = document.createElement("div");
    const label = document.createElement("div");
    label.id = `I-search-group-${list.children.length}`;
    label.className = "group";
    label.textContent = name;
    node.setAttribute("role", "group");
    node.setAttribute("aria-labelledby", label.id);
    label.setAttribute("role", "presentation");
    node.append(label);
    list.append(node);
    return node;
  };
  const entry = async (name, index, page, first) => {
    const at = name === "h" ? first / HEADS : index.p.indexOf(first);
    const found = (await part(index, name, first, at))[page - first];
    if (!found) throw new Error(`${page} is not in ${name}${first}`);
    return found;
  };
  const heads = (index, ranked) =>
    Promise.all(
      ranked.map(async ({ page, ...more }) => {
        const head = await entry("h", index, page, page - (page % HEADS));
        return { page, head, group: index.of[page], found: [], ...more };
      }),
    );
  // Narrows the results to a kind of pages, or to pages that may have notes, and greys what would leave nothing. Kinds that
  // the site does not have are not offered.
  const narrow = (found) => {
    const { index, ranked } = found;
    const { note } = dialog.dataset;
    const isOf = (kind) => ({ c, l, k }) => !kind || k === kind || (kind === note && !c && !l);
    const choices = $$(".narrow input", dialog);
    for (const choice of choices) {
      const { value, parentNode } = choice;
      parentNode.hidden = !index.g.some(value === note ? ({ c }) => c : isOf(value));
      parentNode.classList.toggle("none", !ranked.some(({ page }) => isOf(value)(index.of[page])));
    }
    $(".narrow", dialog).hidden = choices.filter(({ parentNode }) => !parentNode.hidden).length < 3;
    const kind = choices.find(({ checked }) => checked).value;
    return { ...found, all: ranked.length, isNotes: kind === note, ranked: ranked.filter(({ page }) => isOf(kind)(index.of[page])) };
  };
  // The next pages with what is shown of them. What has the query as it is typed comes first.
  const texts = async (query, from) => {
    const { index, ranked, words, isCode, isNotes } = query;
    // In a script without spaces, the letters of a word may also be parts of others.
    const isRun = words.some(({ isDense, parts }) => isDense && parts.length > 1);
    const wanted = ranked.slice(from, from + PAGES);
    const fragment = ({ page }) => entry("p", index, page, index.p.findLast((first) => first <= page));
    const [known, fragments] = await Promise.all([heads(index, wanted), Promise.all(wanted.map(fragment))]);
    const whole = known.map((page, at) => {
      const found = parts(fragments[at], query, isNotes);
      const about = fragments[at].s?.find(([id]) => !id)?.[2] ?? "";
      const more = isCode ? LITERAL_CODE * (page.group.c ? 2 : 1) : isRun ? LITERAL_CODE : LITERAL;
      return { ...page, found, about, worth: page.worth * (found.some(({ isLiteral }) => isLiteral) ? more : 1) };
    });
    return words.length > 1 || isCode || isRun ? whole.sort(byWorth) : whole;
  };
  // The message about the results.
  const message = ({ ranked, hasAll, words, isNotes, all }) => {
    const { count, none, some, similar, narrowed } = dialog.dataset;
    const shown = options().length;
    if (!ranked.length || (isNotes && !shown && more.hidden)) return all ? fill(narrowed, { n: all }) : none;
    const near = words.filter(({ near }) => near);
    if (near.length) {
      // A term has no ending; in the results it is a word.
      const marks = [...new Set($$("mark", list).map(({ textContent }) => textContent.toLowerCase()))];
      marks.sort((a, b) => a.length - b.length);
      const shown = near.map(({ near }) => marks.find((text) => app.terms(text).includes(near)) ?? near);
      return fill(similar, { a: near.map(({ typed }) => typed).join(" "), b: shown.join(" ") });
    }
    if (!hasAll && words.length > 1) return some;
    // How many notes there are is known when all texts are there.
    const n = isNotes ? shown : ranked.length;
    return fill(count, { n: isNotes && !more.hidden ? `${n}+` : n });
  };
  const clear = () => {
    list.replaceChildren();
    more.hidden = true;
    input.setAttribute("aria-expanded", false);
    choose();
  };
  const draw = (found, pages) => {
    state = { ...found, shown: 0, options: 0 };
    clear();
    add(pages);
    input.setAttribute("aria-expanded", pages.length > 0);
    list.scrollTop = dialog.scrollTop = 0;
    choose(options()[0]);
    report();
    if (found.isNotes) fillUp(PAGES);
  };
  const report = () => (status.textContent = [message(state), isNewer && labels.newer].filter(Boolean).join(". "));
  const show = async () => {
    turn += 1;
    const current = turn;
    const query = read(input.value);
    const end = (text) => {
      if (text) clear();
      if (text) status.textContent = text;
      list.removeAttribute("aria-busy");
    };
    if (!query.words.length) {
      end(query.typed ? dialog.dataset.signs : dialog.dataset.empty);
      return query.typed || offer();
    }
    try {
      const found = narrow(await rank(query));
      const whole = texts(found, 0);
      // Titles are here before texts are: they are shown if the texts take long.
      const titles = heads(found.index, found.ranked.slice(0, PAGES));
      const slow = titles.then((titles) => new Promise((resolve) => setTimeout(() => resolve(titles), SLOW)));
      const drawn = await (found.isNotes ? whole : Promise.race([whole, slow]));
      if (current === turn) draw(found, drawn);
      const last = await whole;
      if (current === turn && drawn !== last) draw(found, last);
      if (current === turn) end();
    } catch {
      const isOther = await renew();
      const why = missing ? await app.why(missing, labels.search_failed) : labels.search_failed;
      if (current === turn) return isOther ? show() : end(why);
    }
  };
  // Shows the queries that are remembered, before anything is typed.
  const offer = () => {
    const again = kept().map((text) => Object.assign(document.createElement("a"), { className: "again", tabIndex: -1, textContent: text, role: "option" }));
    again.forEach((node, at) => (node.id = `I-search-again-${at}`));
    if (again.length) group(dialog.dataset.recent).append(...again);
    input.setAttribute("aria-expanded", again.length > 0);
  };
  const add = (pages) => {
    for (const page of pages) {
      const made = state.isNotes && !page.found.length ? [] : rows(page, state);
      if (made.length) group(page.group.t).append(...made);
    }
    state.shown += pages.length;
    more.hidden = state.shown >= state.ranked.length;
  };
  // Few pages may have notes: there are to be so many more of them at once.
  const fillUp = (goal) => options().length < goal && !more.hidden && showMore(goal);
  const showMore = async (goal = options().length + PAGES) => {
    const current = turn;
    const next = await texts(state, state.shown).catch(() => {});
    if (current !== turn) return;
    if (!next) return show();
    const before = options().length;
    add(next);
    input.setAttribute("aria-expanded", options().length > 0);
    if (!before) choose(options()[0]);
    report();
    if (state.isNotes) return fillUp(goal);
  };
  const chosen = () => $("[aria-selected=true]", list);
  const enter = () => {
    clearTimeout(timer);
    show().then(() => chosen()?.click());
  };
  const pressed = (event) => {
    // Keys of an input method: in Safari, the one that ends a composition is told by its code alone.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && list.ariaBusy) return enter();
    const all = options();
    const at = all.indexOf(chosen());
    const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at < 1 ? all.length : at) - 1, Home: 0, End: all.length - 1 }[event.key];
    if (!all.length || list.ariaBusy) return;
    if (event.key === "Enter" && at >= 0) {
      const { ctrlKey, metaKey, shiftKey } = event;
      all[at].dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
    } else if (to !== undefined && !event.shiftKey && !event.ctrlKey && !event.metaKey) choose(all[to]);
    else return;
    event.preventDefault();
  };
  // The dialog fits what a keyboard on the screen leaves of the window; where that is low, its head gives way to results.
  const LOW = 480;
  const fit = () => {
    const seen = visualViewport.height * visualViewport.scale;
    dialog.style.setProperty("--seen", `${Math.floor(seen)}px`);
    dialog.classList.toggle("low", seen < LOW);
  };
  const build = () => {
    dialog = $("#I-search").content.firstElementChild.cloneNode(true);
    [input, list, status, more] = ["input", "[role=listbox]", "[role=status]", ".more"].map((part) => $(part, dialog));
    input.addEventListener("input", () => {
      clearTimeout(timer);
      list.ariaBusy = true;
      timer = setTimeout(show, 50);
    });
    input.addEventListener("keydown", pressed);
    more.addEventListener("click", () => showMore().then(() => input.focus()));
    $(".narrow", dialog).addEventListener("change", show);
    $(".every", dialog).addEventListener("click", () => {
      dialog.close();
      app.help();
    });
    // Who has a pointer goes on typing; who has keys goes on choosing.
    $(".narrow", dialog).addEventListener("click", ({ detail }) => detail && input.focus());
    list.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (link?.matches(".again")) {
        input.value = link.textContent;
        input.focus();
        show();
      } else if (link) {
        const query = input.value.trim();
        remember(query);
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        keep(query);
        isLeaving = true;
        dialog.close();
      }
    });
    dialog.addEventListener("close", () => isLeaving || keep());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest(".close")) dialog.close();
    });
    document.body.append(dialog);
    visualViewport.addEventListener("resize", fit);
    fit();
  };
  // Loads what every query needs, and all titles if they are few.
  const ahead = () =>
    contents()
      .then((index) => index.n <= MAX_AHEAD && Promise.all(index.of.map((_, page) => page % HEADS || part(index, "h", page, page / HEADS))))
      .catch(() => {});
  ahead();
  // What was typed before this script was here is the query; after a line of it, Enter was pressed.
  app.search = (typed = "") => {
    const [line, ...rest] = typed.trimStart().split("\n");
    const query = line || history.state?.search;
    if (!dialog?.isConnected) build();
    ahead();
    isLeaving = false;
    if (!dialog.open) dialog.showModal();
    if (query) input.value = query;
    if (!line) input.select();
    if (line && rest.length) enter();
    else show();
    if (Date.now() - loadedAt > MAX_AGE) renew().then((isOther) => isOther && show());
  };

  const again = () => history.state?.search && app.search();
  addEventListener("popstate", again);
  addEventListener("pageshow", ({ persisted }) => persisted && again());

  // The page for unknown addresses: what it may have been.
  const lost = $(".lost");
  if (!lost) return;
  let path = location.pathname;
  try {
    path = decodeURI(path);
  } catch {
    // If it cannot be decoded, use the words that can.
  }
  // Pages whose address is similar come first: numbers count without their zeros, and words by how they begin.
  const place = (address) => {
    const folders = address.replace(/(\/index)?(\.\w+)?(#.*)?$/, "").split("/");
    const words = folders.pop().toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    return { words: words.map((word) => word.replace(/^0+(?=\d)/, "")), folders };
  };
  const here = place(path);
  const alike = (a, b) => (a === b ? 1 : a.length > 3 && a.slice(0, 4) === b.slice(0, 4) ? 0.6 : 0);
  const nearness = ({ head: [url], group }) => {
    const { words, folders } = place(url);
    const shared = here.words.reduce((sum, word) => sum + Math.max(0, ...words.map((other) => alike(word, other))), 0);
    const inside = folders.filter((folder) => here.folders.includes(folder)).length;
    const near = shared / Math.max(words.length, here.words.length);
    return near < 0.45 ? 0 : near + inside / 20 - (group.c ? 0.01 : 0);
  };
  // The folders say where it may be, not what it is called.
  const query = read(path.replace(/(\/index)?(\.\w+)?\/*$/, "").split("/").pop());
  if (!query.words.length) return;
  rank(query)
    .then(({ index, ranked }) => {
      const rest = index.n > MAX_AHEAD ? [] : index.of.map((_, page) => ({ page, isFar: true })).filter(({ page }) => ranked.every((known) => known.page !== page));
      return heads(index, [...ranked.slice(0, MAX_AHEAD), ...rest]);
    })
    .then((found) => {
      const sorted = found.map((page) => ({ ...page, near: nearness(page) })).filter(({ near, isFar }) => near || !isFar).sort((a, b) => b.near - a.near);
      // Where addresses tell it, words in texts do not.
      return (sorted[0]?.near > 0.7 ? sorted.filter(({ near }) => near) : sorted).slice(0, PAGES);
    })
    .then((found) => {
      const item = ({ head: [url, title, label], group }) => {
        const node = document.createElement("li");
        const link = marked("a", "", title, query.words);
        link.href = document.documentElement.dataset.root + url;
        node.append(link, " ", plain("what", label || group.t || ""));
        return node;
      };
      $("ul", lost).replaceChildren(...found.map(item));
      lost.hidden = !found.length;
    })
    .catch(() => {});
})();
