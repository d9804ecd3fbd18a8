// Steps through the notes of the excerpt that the home page begins with. One of them is open from the start.
"use strict";
(() => {
  const { $, $$, fill, lens } = window.infralens;
  const parts = () => {
    const stepper = $(".stepper");
    return { stepper, said: $("[data-words]", stepper), notes: $$(".notes > .note[data-lines]", stepper.closest(".pair")) };
  };
  /** Which note is open, from 1; if none is, the one that was open last. */
  let at = 0;

  /** Says which note is open. Buttons that lead nowhere keep the focus. */
  const show = () => {
    const { stepper, said, notes } = parts();
    at = notes.findIndex((note) => note.matches(".lens-on")) + 1 || at;
    const text = fill(said.dataset.words, { n: at, m: notes.length });
    if (said.textContent !== text) said.textContent = text;
    $(".back", stepper).setAttribute("aria-disabled", String(at <= 1));
    $(".on", stepper).setAttribute("aria-disabled", String(at >= notes.length));
  };
  const observer = new MutationObserver(show);
  const open = () => {
    if (!$(".stepper")) return;
    const { notes } = parts();
    if (!notes.length) return;
    if (!$(".lens-on, .lens-sel")) lens.activate(notes[Math.ceil(notes.length / 2) - 1]);
    observer.disconnect();
    observer.observe(notes[0].parentNode, { attributes: true, attributeFilter: ["class"], subtree: true });
    show();
  };

  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.(".stepper .step");
    if (!button || button.getAttribute("aria-disabled") === "true") return;
    lens.choose(parts().notes[at - 1 + (button.matches(".on") ? 1 : -1)]);
  });
  document.addEventListener("infralens:update", open);
  open();
})();
