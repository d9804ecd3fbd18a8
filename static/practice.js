// Cards one at a time, and the reader's progress as a file.
"use strict";
(() => {
  const { $, $$, fill, keys, keyOf, storage, store } = window.infralens;
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
  /** The day that a time belongs to where the reader is now. */
  const day = (time = now()) => {
    const at = new Date(time);
    return time[10] ? new Date(+at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 10) : time;
  };
  const daysTo = (time, from = day()) => Math.round((Date.parse(day(time)) - Date.parse(day(from))) / DAY);
  const dayIn = (days) => new Date(Date.parse(day()) + days * DAY).toISOString().slice(0, 10);
  const known = ({ id }) => store.state.cards[id];
  /** The days since a card was graded. */
  const elapsed = (memory) => (memory ? Math.max(0, daysTo(day(), memory.at)) : 0);

  // The session.
  const past = [];
  let [current, picked, isOpen] = [null, 0, false];
  /** Cards that are shown before they are due. */
  let early = new Set();
  /** The labs whose cards are asked though they are not read. */
  const asked = new Set();
  /** What the grade of a card that is only tried would mean. */
  let tried = "";

  /** The cards of the page: on a practice page those of its track, at the end of a lab its own. */
  function all() {
    const listed = $$(".cards [data-card]").map((node) => {
      const { card, was = "", ...source } = node.dataset;
      return { ...source, id: card, was: was.split(" "), ask: $("summary", node), answer: $(".answer", node) };
    });
    return listed.length || !$(".take") ? listed : ofLab();
  }

  /** The cards of a lab, if each of them is found on its page. */
  function ofLab() {
    const questions = $$(".questions > .question").map((node) => [$("summary", node), node]);
    const below = $$("details.answer").map((node) => [node.previousElementSibling, node]);
    const spoken = $$(".spoken").map((node) => [$("p + .spoken") && node.previousElementSibling, node]);
    const nodes = [...questions, ...below, ...spoken];
    const ids = $(".take").dataset.cards.split(" ").map((ids) => ids.split("="));
    if (nodes.length !== ids.length) return [];
    return ids.map(([id, ...was], at) => {
      const [ask, answer] = nodes[at];
      return { id, was, ask, answer, number: answer.matches(".spoken") ? "" : String(at + 1), lab: html.dataset.page, short: $(".take").dataset.short };
    });
  }

  function queue() {
    const cards = all();
    const isLab = Boolean($(".take"));
    // What comes back at a time comes back while one practices, though it is midnight before that.
    const daysLeft = (card) => (known(card).due[10] ? 0 : daysTo(known(card).due));
    const seen = cards.filter(known).sort((a, b) => (known(a).due < known(b).due ? -1 : 1));
    // At a time, or from a day on; one that was graded later than today is, too, because the clock was set back.
    const isDue = (card) => {
      const { due, at } = known(card);
      return due <= (due[10] ? now() : day()) || day(at) > day() || early.has(card.id);
    };
    // What is new comes from what was read.
    const unseen = cards.filter((card) => !known(card));
    const fresh = unseen.filter((card) => isLab || asked.has(card.lab) || store.isRead(card.lab));
    const begun = seen.filter((card) => day(known(card).first) === day()).length;
    const wanted = fresh.filter((card) => isLab || asked.has(card.lab));
    const others = fresh.filter((card) => !wanted.includes(card));
    const begin = [...wanted, ...others.slice(0, Math.max(0, NEW_A_DAY - begun))];
    const waiting = seen.filter((card) => !isDue(card) && daysLeft(card) <= 0);
    // Who has read nothing yet may try the first card; nothing is kept of it.
    const isTrial = !isLab && !seen.length && !fresh.length;
    const due = isTrial ? cards.slice(0, tried ? 0 : 1) : [...seen.filter(isDue), ...begin];
    const later = seen.filter((card) => !isDue(card) && daysLeft(card) > 0).map(daysLeft);
    const between = (from, to) => later.filter((days) => days >= from && days <= to).length;
    const today_ = isTrial ? 0 : due.length - begin.length + waiting.length;
    const table = [today_, between(1, 1), between(2, 7), between(8, Infinity), fresh.length, unseen.length - fresh.length];
    return { due, waiting, later, table, unseen: fresh.length - begin.length, isTrial };
  }

  const plain = new Intl.RelativeTimeFormat(html.lang, { numeric: "always" });
  const named = new Intl.RelativeTimeFormat(html.lang, { numeric: "auto" });
  const inWords = (grade, days) => (grade === AGAIN ? plain.format(MINUTES, "minute") : plain.format(days[grade], "day"));

  /** Copies of a node's children, without ids, which stay where they are. */
  function copies(node, except) {
    const copy = node.cloneNode(true);
    for (const child of $$(`[id], ${except}`, copy)) {
      if (child.matches(except)) child.remove();
      else child.removeAttribute("id");
    }
    return [...copy.childNodes];
  }

  function render() {
    const session = $(".session");
    if (!session) return;
    const { due, waiting, later, table, unseen, isTrial } = queue();
    const card = due.find(({ id }) => id === current) ?? due[0];
    if (card?.id !== current) [current, picked, isOpen] = [card?.id ?? null, 0, false];
    const [count, n] = [past.length + due.length, past.length + 1];
    const block = (_, at) => make("i", { className: at < past.length ? "read" : at === past.length && card ? "next" : "" });
    $(".blocks", session).replaceChildren(...Array.from({ length: isTrial ? 0 : count }, block));
    const at = $(".at", session);
    const words = session.dataset;
    const met = past.filter(({ before }) => before).length + due.filter(known).length;
    const kinds = [met && fill(at.dataset.due, { n: met }), count > met && fill(at.dataset.fresh, { n: count - met })];
    const place = `${fill(at.dataset.words, { n, m: count })} ${kinds.filter(Boolean).join(", ")}`;
    const isEmpty = !waiting.length && !later.length && !past.length;
    at.textContent = !card ? "" : isTrial ? words.try : place;
    const last = past.at(-1);
    $(".last", session).textContent = last ? last.words : "";
    $(".undo", session).hidden = !last;
    $(".back", session).hidden = !card || !isOpen;
    $(".grades", session).hidden = !card || !isOpen;
    $(".act", session).hidden = card ? isOpen : !waiting.length;
    $(".act span", session).hidden = !card;
    const button = $(".reveal", session);
    button.dataset.name ??= button.textContent;
    button.textContent = card ? button.dataset.name : words.now;
    if (card) showCard(session, card);
    else showEnd(session, isTrial ? `${tried} ${words.empty}`.trim() : isEmpty ? words.empty : waiting.length ? words.pause : words.done, waiting.length, later, unseen);
    for (const [row, cell] of $$(".coming td").entries()) cell.textContent = table[row];
    session.classList.add("ready");
  }

  function showCard(session, card) {
    const { short, number, lab, file, url, ask, answer } = card;
    const name = short + (number ? fill(session.dataset.number, { n: number }) : "");
    const source = make("a", { href: store.link(lab), textContent: name });
    const code = file ? [" · ", make("a", { href: store.link(url), textContent: file, className: "mono" })] : [];
    $(".source", session).replaceChildren(source, ...code);
    $(".asked", session).replaceChildren(...(ask ? copies(ask, ".anchor") : [`${session.dataset.spoken} ${$("h1").lastChild.textContent}`]));
    $(".back", session).replaceChildren(...copies(answer, "summary, .label"));
    const memory = known(card);
    const days = intervals(memory, elapsed(memory));
    for (const button of $$(".grades button", session)) {
      const grade = Number(button.value);
      $("span", button).textContent = inWords(grade, days);
      button.setAttribute("aria-pressed", String(grade === picked));
    }
  }

  /** Says what comes when, and names the next step. */
  function showEnd(session, title, waiting, later, unseen) {
    const words = session.dataset;
    const next = Math.min(...later, unseen ? 1 : Infinity);
    const cards = later.filter((days) => days === next).length + (next === 1 ? Math.min(unseen, NEW_A_DAY) : 0);
    const when = next < Infinity && named.format(next, "day");
    const lines = [waiting && fill(words.again, { n: waiting }), cards && fill(words.then, { when, n: cards })];
    const nodes = lines.filter(Boolean).map((textContent) => make("p", { textContent }));
    const step = store.step(words.track, $(".take") ? html.dataset.page : "");
    if (step) {
      const link = make("a", { href: step.href, textContent: `${step.name} · ${fill(words.min, { n: step.minutes })}` });
      nodes.push(make("p", { className: "then" }));
      nodes.at(-1).append(`${words.next} `, link);
    }
    $(".source", session).textContent = "";
    $(".asked", session).replaceChildren(title, ...nodes);
    $(".back", session).replaceChildren();
  }

  /** Begins a session at the end of a lab: with all of its questions, whether or not they are due. */
  function take() {
    const link = $(".take");
    if (!all().length) return location.assign(link.href);
    if (!$(".session")) link.parentNode.after($("#I-session").content.cloneNode(true));
    Object.assign($(".session").dataset, { track: link.dataset.track, infralensLive: "" });
    link.parentNode.hidden = true;
    early = new Set(all().filter(known).map(({ id }) => id));
    markRemoved();
    render();
    bring(".asked");
  }

  /** Moves the focus to a part of the card, with all of the card in view if it fits, or else with that part at the top. */
  function bring(part) {
    const session = $(".session");
    const fits = session.offsetHeight < innerHeight - 90;
    $(part, session).focus({ preventScroll: true });
    if (fits) session.scrollIntoView({ block: "nearest" });
    else $(part, session).scrollIntoView();
  }

  function act() {
    if (current) {
      isOpen = true;
      render();
      bring(".back");
    } else {
      early = new Set(queue().waiting.map(({ id }) => id));
      render();
      bring(".asked");
    }
  }

  function grade(grade) {
    const graded = all().find(({ id }) => id === current);
    if (!graded || !isOpen) return;
    const [id, before] = [current, known(graded)];
    const days = intervals(before, elapsed(before));
    if (queue().isTrial) {
      tried = fill($(".session").dataset.tried, { when: inWords(grade, days) });
      current = null;
      render();
      return bring(".asked");
    }
    const due = grade === AGAIN ? now(Date.now() + MINUTES * 60000) : dayIn(days[grade]);
    const { track } = $(".session").dataset;
    const card = { track, ...remember(before, grade, elapsed(before)), first: before?.first ?? now(), at: now(), due };
    const words = `${$(`.session .grades [value="${grade}"] b`).textContent}, ${inWords(grade, days)}`;
    past.push({ id, before, grade, words });
    early.delete(id);
    current = null;
    store.change((state) => (state.cards[id] = card));
    // Who has answered all questions at the end of a lab has read it.
    if ($(".take") && !queue().due.length) store.finish(true);
    bring(".asked");
  }

  /** Asks the cards of a lab that need not be read. */
  function askNow(lab) {
    asked.add(lab);
    const first = all().find((card) => card.lab === lab && !known(card));
    const again = all().filter((card) => card.lab === lab && known(card));
    if (!first) early = new Set(again.map(({ id }) => id));
    current = first?.id ?? again[0]?.id ?? null;
    [picked, isOpen] = [0, false];
    render();
    bring(".asked");
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
    bring(".back");
  }

  /** Takes over the cards of a lab that was moved. On a practice page, also marks cards that the course no longer has:
      they are kept, but not counted. */
  function markRemoved() {
    const session = $(".session");
    if (!session) return;
    const { track } = session.dataset;
    const cards = all();
    const moved = cards.flatMap(({ id, was }) => was.filter((old) => store.state.cards[old]).map((old) => [old, id]));
    const asked = new Set(cards.map(({ id }) => id));
    const isOff = ([id, card]) => !$(".take") && card.track === track && Boolean(card.gone) === asked.has(id);
    if (!moved.length && !Object.entries(store.state.cards).some(isOff)) return;
    store.change((state) => {
      for (const [old, id] of moved) {
        state.cards[id] ??= { ...state.cards[old], track };
        delete state.cards[old];
      }
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
    make("a", { href, download: `progress-${store.state.course}-${day()}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000);
  }

  async function read(file) {
    const words = $(".backup").dataset;
    const other = store.parse(await file.text().catch(() => ""));
    const fault = store.judge(other);
    if (fault) return say(words[fault]);
    if (other.course !== html.dataset.course && other.title !== store.state.title) return say(words.other, { t: other.title });
    // A time that is still to come is that of a clock which was wrong.
    const newer = (mine, theirs) => !mine || (theirs.at > mine.at && theirs.at <= now());
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
      Object.assign(state, store.empty());
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

  const buttons = {
    ".reveal": act,
    ".undo": undo,
    ".now": (button) => askNow(button.value),
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
    // At the end of a lab, keys belong to the lab unless the card has the focus.
    if ($(".take") && !event.target.closest(".session")) return;
    const isElsewhere = event.target.closest("a, button, input, textarea, select, summary, dialog, [contenteditable]");
    if (!$(".session") || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("dialog[open]")) return;
    // Who reads on below the card, or above it, scrolls.
    const isSeen = ({ top, bottom }) => bottom > 0 && top < innerHeight;
    const isKey = [" ", "Enter"].includes(event.key) && !event.shiftKey && !isElsewhere;
    const opens = isKey && isSeen($(".session .act").getBoundingClientRect());
    const isFree = keys() && !event.target.closest("input, textarea, select");
    // Keyboards such as the French one have digits in the same place, with Shift.
    const place = event.shiftKey ? "" : event.code?.replace("Digit", "");
    const number = [keyOf(event), place].find((text) => $$(".grades button").some(({ value }) => value === text));
    const grades = isFree && isOpen && number;
    const undoes = isFree && keyOf(event) === $(".undo").getAttribute("aria-keyshortcuts") && past.length;
    if (opens) act();
    else if (grades) grade(Number(number));
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
  window.infralens.practice = { remember, intervals, take };
  markRemoved();
  show();
})();
