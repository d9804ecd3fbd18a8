// Cards one at a time, and the reader's progress as a file.
"use strict";
(() => {
  const { $, $$, fill, keys, storage, store } = window.infralens;
  const { now } = store;
  const html = document.documentElement;
  const make = (name, values) => Object.assign(document.createElement(name), values);

  // FSRS-6 with its published default parameters, for a recall of 0.9:
  // https://github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm
  const W = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
    0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ];
  const [AGAIN, HARD, , EASY] = [1, 2, 3, 4];
  const FACTOR = 0.9 ** (-1 / W[20]) - 1;
  const clamp = (value, from, to) => Math.min(Math.max(value, from), to);
  const difficulty = (grade) => W[4] - Math.exp(W[5] * (grade - 1)) + 1;

  /** What a grade makes of a card's memory, whole days after the last one; a new card has none. */
  function remember(card, grade, days) {
    if (!card) return { stability: W[grade - 1], difficulty: clamp(difficulty(grade), 1, 10) };
    const { stability: s, difficulty: d } = card;
    const forgotten = 1 - (1 + (FACTOR * days) / s) ** -W[20];
    let next;
    if (days < 1) {
      const more = Math.exp(W[17] * (grade - 3 + W[18])) * s ** -W[19];
      next = s * (grade > AGAIN ? Math.max(more, 1) : more);
    } else if (grade === AGAIN) {
      const left = W[11] * d ** -W[12] * ((s + 1) ** W[13] - 1) * Math.exp(W[14] * forgotten);
      next = Math.min(left, s / Math.exp(W[17] * W[18]));
    } else {
      const more = Math.exp(W[8]) * (11 - d) * s ** -W[9] * (Math.exp(W[10] * forgotten) - 1);
      next = s * (1 + more * (grade === HARD ? W[15] : grade === EASY ? W[16] : 1));
    }
    const moved = d - (W[6] * (grade - 3) * (10 - d)) / 9;
    const back = W[7] * difficulty(EASY) + (1 - W[7]) * moved;
    return { stability: clamp(next, 0.001, 36500), difficulty: clamp(back, 1, 10) };
  }

  /** Days until a card is due by its grade: stability is the time in which recall falls to 0.9. A better grade, a later day. */
  function intervals(card, days) {
    const [a, b, c] = [2, 3, 4].map((grade) => Math.max(1, Math.round(remember(card, grade, days).stability)));
    const hard = Math.min(a, b);
    const good = Math.max(b, hard + 1);
    return [0, 0, hard, good, Math.max(c, good + 1)];
  }

  const NEW_A_DAY = 10;
  const MINUTES = 10;
  const DAY = 86400000;
  const today = () => now().slice(0, 10);
  const daysTo = (day, from = today()) => Math.round((Date.parse(day.slice(0, 10)) - Date.parse(from.slice(0, 10))) / DAY);
  const dayIn = (days) => new Date(Date.parse(today()) + days * DAY).toISOString().slice(0, 10);
  const known = (node) => store.state.cards[node.dataset.card];

  // The session.
  const past = [];
  let [current, picked, isOpen, held] = [null, 0, false, null];
  /** Cards that are shown before they are due. */
  let early = new Set();

  const all = () => $$(".cards [data-card]");

  function queue() {
    const cards = all();
    const daysLeft = (node) => daysTo(known(node).due);
    const seen = cards.filter(known).sort((a, b) => (known(a).due < known(b).due ? -1 : 1));
    const isDue = (node) => known(node).due <= now() || early.has(node.dataset.card);
    const fresh = cards.filter((node) => !known(node));
    const begun = seen.filter((node) => known(node).first.slice(0, 10) === today()).length;
    const begin = fresh.slice(0, Math.max(0, NEW_A_DAY - begun));
    const waiting = seen.filter((node) => !isDue(node) && daysLeft(node) <= 0);
    const due = [...seen.filter(isDue), ...begin];
    const later = seen.filter((node) => !isDue(node) && daysLeft(node) > 0).map(daysLeft);
    const between = (from, to) => later.filter((days) => days >= from && days <= to).length;
    const table = [due.length + waiting.length, between(1, 1), between(2, 7), between(8, Infinity), fresh.length - begin.length];
    return { due, waiting, later, table, unseen: fresh.length - begin.length };
  }

  const plain = new Intl.RelativeTimeFormat(html.lang, { numeric: "always" });
  const named = new Intl.RelativeTimeFormat(html.lang, { numeric: "auto" });
  const inWords = (grade, days) => (grade === AGAIN ? plain.format(MINUTES, "minute") : plain.format(days[grade], "day"));

  /** Puts the card's own nodes back to where they are without scripts. */
  function putBack() {
    const [asked, back] = [$(".asked"), $(".back")];
    const [summary, answer] = [held && $("summary", held), held && $(".answer", held)];
    if (summary && !summary.childNodes.length) {
      summary.append(...asked.childNodes);
      answer.append(...back.childNodes);
    }
    held = null;
    asked.replaceChildren();
    back.replaceChildren();
  }

  function render() {
    const session = $(".session");
    if (!session) return;
    const { due, waiting, later, table, unseen } = queue();
    const node = due.find((node) => node.dataset.card === current) ?? due[0];
    if (node?.dataset.card !== current) [current, picked, isOpen] = [node?.dataset.card ?? null, 0, false];
    putBack();
    const [count, n] = [past.length + due.length, past.length + 1];
    const block = (_, at) => make("i", { className: at < past.length ? "read" : at === past.length && node ? "next" : "" });
    $(".blocks", session).replaceChildren(...Array.from({ length: count }, block));
    const at = $(".at", session);
    at.textContent = node ? fill(at.dataset.words, { n, m: count }) : session.dataset.done;
    const last = past.at(-1);
    $(".last", session).textContent = last ? last.words : "";
    $(".undo", session).hidden = !last;
    $(".back", session).hidden = !node || !isOpen;
    $(".grades", session).hidden = !node || !isOpen;
    $(".act", session).hidden = node ? isOpen : !waiting.length;
    $(".act span", session).hidden = !node;
    $(".reveal", session).textContent = node ? words.reveal : session.dataset.now;
    if (node) showCard(session, node);
    else showEnd(session, waiting.length, later, unseen);
    for (const [row, cell] of $$(".coming td").entries()) cell.textContent = table[row];
    session.classList.add("ready");
  }

  function showCard(session, node) {
    held = node;
    const { short, number, lab, file, url } = node.dataset;
    const source = make("a", { href: store.link(lab), textContent: short + (number ? fill(session.dataset.number, { n: number }) : "") });
    const code = file ? [" · ", make("a", { href: store.link(url), textContent: file, className: "mono" })] : [];
    $(".source", session).replaceChildren(source, ...code);
    $(".asked", session).append(...$("summary", node).childNodes);
    $(".back", session).append(...$(".answer", node).childNodes);
    const card = known(node);
    const days = intervals(card, card ? daysTo(today(), card.at) : 0);
    for (const button of $$(".grades button", session)) {
      const grade = Number(button.value);
      $("span", button).textContent = inWords(grade, days);
      button.setAttribute("aria-pressed", String(grade === picked));
    }
  }

  function showEnd(session, waiting, later, unseen) {
    const words = session.dataset;
    const next = Math.min(...later, unseen ? 1 : Infinity);
    const cards = later.filter((days) => days === next).length + (next === 1 ? Math.min(unseen, NEW_A_DAY) : 0);
    const when = next < Infinity && named.format(next, "day");
    const lines = [waiting && fill(words.again, { n: waiting }), cards && fill(words.next, { when, n: cards })];
    $(".source", session).textContent = "";
    $(".asked", session).replaceChildren(words.done, ...lines.filter(Boolean).map((textContent) => make("p", { textContent })));
  }

  function act() {
    if (current) {
      isOpen = true;
      render();
      $(".back").focus();
    } else {
      early = new Set(queue().waiting.map((node) => node.dataset.card));
      render();
      $(".asked").focus();
    }
  }

  function grade(grade) {
    const node = all().find((node) => node.dataset.card === current);
    if (!node || !isOpen) return;
    const [id, before] = [current, known(node)];
    const elapsed = before ? Math.max(0, daysTo(today(), before.at)) : 0;
    const days = intervals(before, elapsed);
    const due = grade === AGAIN ? now(Date.now() + MINUTES * 60000) : dayIn(days[grade]);
    const { track } = $(".session").dataset;
    const card = { track, ...remember(before, grade, elapsed), first: before?.first ?? now(), at: now(), due };
    const words = `${$(`.grades [value="${grade}"] b`).textContent}, ${inWords(grade, days)}`;
    past.push({ id, before, grade, words });
    early.delete(id);
    current = null;
    store.change((state) => (state.cards[id] = card));
    $(".asked").focus();
  }

  function undo() {
    const last = past.pop();
    if (!last) return;
    [current, picked, isOpen] = [last.id, last.grade, true];
    early.add(last.id);
    store.change((state) => {
      if (last.before) state.cards[last.id] = last.before;
      else delete state.cards[last.id];
    });
    $(".back").focus();
  }

  /** Marks cards that the course no longer has: they are kept, but not counted. */
  function markRemoved() {
    const session = $(".session");
    if (!session) return;
    const { track } = session.dataset;
    const asked = new Set(all().map((node) => node.dataset.card));
    const isOff = ([id, card]) => card.track === track && Boolean(card.gone) === asked.has(id);
    if (!Object.entries(store.state.cards).some(isOff)) return;
    store.change((state) => {
      for (const [id, card] of Object.entries(state.cards).filter(isOff)) {
        if (asked.has(id)) delete card.gone;
        else card.gone = true;
      }
    });
  }

  // The reader's progress: out, in, away.
  const say = (words, values = {}) => ($(".message").textContent = fill(words, values));

  function save() {
    const text = JSON.stringify({ ...store.state, exported: now() }, null, 1);
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    make("a", { href, download: `progress-${store.state.course}-${today()}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000);
  }

  async function read(file) {
    const words = $(".backup").dataset;
    let other = null;
    try {
      other = JSON.parse(await file.text());
    } catch {
      // Reported below.
    }
    const fault = store.judge(other);
    if (fault) return say(words[fault]);
    if (other.course !== html.dataset.course && other.title !== store.state.title) return say(words.other, { t: other.title });
    const newer = (mine, theirs) => !mine || theirs.at > mine.at;
    store.change((state) => {
      for (const [url, at] of Object.entries(other.read)) if (!(state.read[url] > at)) state.read[url] = at;
      for (const [id, card] of Object.entries(other.cards)) if (newer(state.cards[id], card)) state.cards[id] = card;
      if (other.last && newer(state.last, other.last)) state.last = other.last;
    });
    markRemoved();
    say(words.imported, { n: Object.keys(other.read).length, m: Object.keys(other.cards).length });
  }

  function erase() {
    store.change((state) => {
      Object.assign(state, { read: {}, cards: {} });
      delete state.last;
    });
    storage.clear(store.key);
    $("dialog").close();
    showKept();
    say($(".backup").dataset.erased);
  }

  function showKept() {
    if (!$("[data-kept]")) return;
    const { read, cards, last } = store.state;
    const size = (storage.read(store.key) ?? "").length;
    const put = (name, value) => $(`[data-kept="${name}"]`).replaceChildren(value);
    put("read", String(Object.keys(read).length));
    put("cards", String(Object.keys(cards).length));
    put("last", last ? make("a", { href: store.link(last.url), textContent: last.title }) : "–");
    const kilobytes = new Intl.NumberFormat(html.lang, { style: "unit", unit: "kilobyte", maximumFractionDigits: 1 });
    put("size", kilobytes.format(size / 1000));
    $(".ledger").classList.add("ready");
  }

  const words = { reveal: $(".reveal")?.textContent };
  const buttons = {
    ".reveal": act,
    ".undo": undo,
    ".grades button": (button) => grade(Number(button.value)),
    ".export": save,
    ".import": (button) => button.nextElementSibling.click(),
    ".erase": () => $("dialog").showModal(),
    ".keep": () => $("dialog").close(),
    ".erase-now": erase,
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button");
    const found = button && Object.keys(buttons).find((selector) => button.matches(selector));
    if (found) buttons[found](button);
  });
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".backup input") || !event.target.files[0]) return;
    read(event.target.files[0]);
    event.target.value = "";
  });
  document.addEventListener("keydown", (event) => {
    const isElsewhere = event.target.closest("a, button, input, textarea, select, summary, dialog, [contenteditable]");
    if (!$(".session") || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("dialog[open]")) return;
    const opens = [" ", "Enter"].includes(event.key) && !$(".act").hidden && !isElsewhere;
    const isFree = keys() && !event.target.closest("input, textarea, select");
    const grades = isFree && isOpen && /^[1-4]$/.test(event.key);
    const undoes = isFree && event.key === "u" && past.length;
    if (opens) act();
    else if (grades) grade(Number(event.key));
    else if (undoes) undo();
    else return;
    event.preventDefault();
  });
  const show = () => {
    render();
    showKept();
  };
  document.addEventListener("infralens:progress", show);
  document.addEventListener("infralens:update", () => {
    markRemoved();
    show();
  });
  window.infralens.practice = { remember, intervals };
  markRemoved();
  show();
})();
