// A Markdown starter: prints it, and shows its notes again when the address names a line of its source.
"use strict";
(() => {
  const { $ } = window.infralens;
  const file = $(".typeset");
  $(".print", file).addEventListener("click", () => print());
  // The style sheet shows the source as long as one of its lines is in the address, whatever was chosen before.
  $(".switch", file).addEventListener("click", () => {
    const line = /^#S(\d+)$/.exec(location.hash);
    if (line && !$(".show-source", file).checked) location.replace(`#L${line[1]}`);
  });
})();
