// Sums up the reader's progress on the home page, on a track's page and on the page of progress. It shows how much is read,
// and which cards are due. The reading orders that this needs are loaded.
"use strict";
(() => {
  const { $, $$, fill, orders, store } = window.infralens;
  const { current, link } = store;
  const track = (name) => link(`tracks/${encodeURIComponent(name)}/`);

  /** Shows how much of a track is read, and how long the rest takes. Before that, its words say how long it takes. */
  const untouched = new Map();
  function gauge(box) {
    const pages = $$("[data-read]", box).map(({ dataset }) => [dataset.read, "", Number(dataset.minutes)]);
    for (const words of $$(".words", box)) {
      if (!untouched.has(words)) untouched.set(words, words.textContent);
      // Those of a way through the track are about its rows of the map alone.
      const way = /\bin-\d+/.exec(words.className)?.[0];
      const urls = way && $$(`.map .${way} :is(.lab, .first li)[data-read]`).map(({ dataset }) => dataset.read);
      const own = way ? pages.filter(([url]) => urls.includes(url)) : pages;
      words.textContent = own.some(([url]) => store.isRead(url)) ? store.sum(own) : untouched.get(words);
    }
  }

  /** Whether a card is due: at a time, or from a day on. If it was graded later than now, the clock was set back. */
  const isDue = ({ due, at }) =>
    Date.parse(due[10] ? due : `${due}T00:00`) <= Date.now() || Date.parse(at) > Date.now() + 86400000;

  /** Offers the cards that are due, by track. */
  function offerCards(box) {
    const words = box.dataset;
    const links = new Map($$("a").map((a) => [a.href, a.textContent]));
    const home = (name) => links.get(new URL(`${track(name)}index.html`, location.href).href);
    const due = Object.values(store.state.cards).filter((card) => !card.gone && isDue(card));
    const tracks = [...new Set(due.map((card) => card.track))].filter(home);
    const offers = tracks.map((name) => {
      const n = due.filter((card) => card.track === name).length;
      const count = fill(words.due, { n });
      const textContent = tracks.length > 1 ? `${home(name)}: ${count}` : count;
      return Object.assign(document.createElement("a"), { href: `${track(name)}practice.html`, textContent });
    });
    if (offers.length) box.classList.add("begun");
    $(".due", box).replaceChildren(...offers);
  }

  const ready = () => {
    for (const box of $$(".gauge, .continue")) box.classList.add("ready");
  };
  let asked;
  const show = () => {
    $$(".gauge").forEach(gauge);
    $$(".continue").forEach(offerCards);
    const name = $("[data-step='']") && current();
    if (!name || orders[name] || asked === name) return ready();
    asked = name;
    // The page lists the reading orders. A track that is gone has none.
    const isOf = (url) => decodeURIComponent(url).replace(/\.\w+\.js$/, "").endsWith(`/order-${name}`);
    const src = $("[data-orders]")?.dataset.orders.split(" ").find(isOf);
    if (!src) return ready();
    const script = Object.assign(document.createElement("script"), { src, onload: store.renew, onerror: ready });
    script.dataset.infralensLive = "";
    document.head.append(script);
  };
  document.addEventListener("infralens:progress", show);
  show();
})();
