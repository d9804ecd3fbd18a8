// Sums up the reader's progress on the home page, on a track's page and on the page of progress: how much is read, what is
// next, where the reader left off, and which cards are due.
"use strict";
(() => {
  const { $, $$, fill, store } = window.infralens;
  const { isRead, link, now } = store;

  /** Shows how much of a track is read, and how long the rest takes. */
  function gauge(box) {
    const items = $$("[data-read]", box);
    const sum = (list) => list.reduce((all, item) => all + Number(item.dataset.minutes), 0);
    const { hours, min } = box.dataset;
    const time = (n) => (n < 60 ? "" : `${fill(hours, { n: Math.floor(n / 60) })} `) + fill(min, { n: n < 60 ? n : n % 60 });
    const labs = items.filter((item) => item.matches(".lab"));
    const left = items.filter((item) => !isRead(item.dataset.read));
    const n = labs.filter((item) => isRead(item.dataset.read)).length;
    const values = { n, m: labs.length, left: time(sum(left)), all: time(sum(items)) };
    $(".words", box).textContent = fill(box.dataset.words, values);
    const next = $(".next-for-you");
    if (next && left[0]?.dataset.heading) offerNext(next, left, items, (list) => time(sum(list)));
    else if (next && !left.length) {
      const { all, practice, practiceUrl } = next.dataset;
      $("p", next).textContent = all;
      if (practice) Object.assign($("a", next), { textContent: practice, href: practiceUrl });
    }
  }

  /** Offers what is next in a track: a page, or a section and the lab that follows it, each in its own direction. */
  function offerNext(box, left, items, time) {
    const [a, b] = left;
    const isPair = a.matches(".section") && b?.matches(".lab") && a.nextElementSibling === b;
    const apart = (text) => text && `\u2068${text}\u2069`;
    const values = { a: apart(a.dataset.heading), b: apart(b?.dataset.heading), t: time(isPair ? [a, b] : [a]) };
    $("p", box).textContent = fill(isPair ? box.dataset.pair : box.dataset.one, values);
    const words = left.length < items.length ? box.dataset.go : box.dataset.start;
    Object.assign($("a", box), { textContent: fill(words, { a: a.dataset.short }), href: link(a.dataset.read) });
  }

  /** Offers the page that the reader left last, and the cards that are due. */
  function offerLast(box) {
    const { last, cards } = store.state;
    const words = box.dataset;
    if (last) {
      $(".over", box).textContent = words.leftOff;
      const where = last.n ? words.note : last.h ? words.at : "";
      $(".left span", box).textContent = fill(where, last);
      $(".left a", box).textContent = last.title;
      $(".button", box).textContent = words.go;
      for (const a of $$(".left a, .button", box)) a.href = link(last.url) + (last.id ? `#${encodeURIComponent(last.id)}` : "");
    }
    const links = new Set($$("a").map(({ href }) => href));
    const has = ({ track }) => links.has(new URL(link(`tracks/${encodeURIComponent(track)}/index.html`), location.href).href);
    const isDue = (card) => !card.gone && card.due.slice(0, 10) <= now().slice(0, 10);
    const due = Object.values(cards).filter((card) => isDue(card) && has(card));
    const a = document.createElement("a");
    if (due.length) a.href = link(`tracks/${encodeURIComponent(due[0].track)}/practice.html`);
    a.textContent = due.length ? fill(due.length > 1 ? words.due : words.one, { n: due.length }) : "";
    $(".due", box).replaceChildren(a);
  }

  const show = () => {
    $$(".gauge").forEach(gauge);
    $$(".continue").forEach(offerLast);
    for (const box of $$(".gauge, .continue, .next-for-you")) box.classList.add("ready");
  };
  document.addEventListener("infralens:progress", show);
  show();
})();
