// What the tests measure on a page, in a script world of their own, next to the page's. Each function returns a list of faults.
"use strict";
globalThis.measure = (() => {
  const SLACK = 1.5;
  // What may be scrolled sideways: what cannot be broken. Anything else that has to be is cut off.
  const SCROLLERS = "pre, figure, .pair, .table, .fits, .math, math, .diagram, .top nav";

  /** How a message names an element: its tag, id or classes, and how its text begins. */
  const name = (element) => {
    const id = element.id ? `#${element.id}` : [...element.classList].map((part) => `.${part}`).join("");
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 30);
    return `<${element.localName}${id}> “${text}” in <${element.parentElement?.localName}.${element.parentElement?.className}>`;
  };
  const few = (list, count = 4) => (list.length > count ? [...list.slice(0, count), `… and ${list.length - count} more`] : list);

  /** What is shown to readers: not what is there for screen readers alone, nor what is folded away. */
  const shown = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false;
    const style = getComputedStyle(element);
    return style.clipPath === "none" || !element.matches(".hidden, .hidden *");
  };
  /** What is shortened by design: with an ellipsis, in or around a link to the page that has all of it as its heading, or
      on the line by which it is opened. */
  const shortened = (element) => {
    const { webkitLineClamp, textOverflow } = getComputedStyle(element);
    const leads = element.closest("a[href], details:not([open]) > summary") ?? element.querySelector(":scope > a[href]");
    return leads && (webkitLineClamp !== "none" || textOverflow === "ellipsis");
  };
  const scrolls = (value) => value === "auto" || value === "scroll";
  const clips = (value) => value === "hidden" || value === "clip";

  /** The nearest box that an element's text is scrolled in, sideways, with the element itself counted. */
  const scroller = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement)
      if (scrolls(getComputedStyle(at).overflowX)) return at;
    return null;
  };
  /** What is found by `find` for an element and its parent's, with each element asked once. */
  const inherited = (outermost, find) => {
    const known = new Map();
    const of = (element) => {
      if (!element) return outermost;
      if (!known.has(element)) known.set(element, find(element, of(element.parentElement)));
      return known.get(element);
    };
    return of;
  };
  /** Whether an element, or one around it, is hidden from sight: a function that holds as long as the page stays as it is. */
  const tucks = () => inherited(false, (element, outer) => outer || element.matches(".hidden") || getComputedStyle(element).clipPath !== "none");

  /** Whether a piece of code reaches further than its line only by blanks, which do not make the line wider. */
  const hangs = (element) => {
    const line = element.closest(".line");
    return line && line.scrollWidth <= line.clientWidth + SLACK;
  };

  /** What stands beyond the window's edges, or is cut off by a box. `paper`: what would have to be scrolled is cut off. */
  const layout = (paper = false) => {
    const faults = [];
    const tucked = tucks();
    const width = document.documentElement.clientWidth;
    const wide = document.documentElement.scrollWidth;
    if (wide > width) faults.push(`the page is ${wide} px wide in a window of ${width}`);
    const outside = [];
    const cut = [];
    for (const element of document.body.querySelectorAll("*")) {
      if (!shown(element) || tucked(element) || element.closest("math, svg svg")) continue;
      const style = getComputedStyle(element);
      const inner = element.closest("svg") && element.localName !== "svg";
      const box = element.getBoundingClientRect();
      // Blanks at the end of a line of code hang out of it, and nobody sees them.
      if (style.display === "inline" && hangs(element)) continue;
      const leaves = !inner && box.width && (box.right > width + SLACK || box.left < -SLACK);
      if (leaves && !scroller(element.parentElement) && !element.closest("details:not([open]) > summary > *"))
        if (!outside.some((other) => other.contains(element))) outside.push(element);
      if (inner || !element.clientWidth || element.matches("input, textarea, select, svg")) continue;
      const over = element.scrollWidth > element.clientWidth + SLACK;
      const under = element.scrollHeight > element.clientHeight + SLACK;
      if (shortened(element) || (element.closest(".course") && element.closest(".course").offsetWidth < 60)) continue;
      if ((clips(style.overflowX) && over) || (clips(style.overflowY) && under)) cut.push(element);
      else if (scrolls(style.overflowX) && over && !element.matches(paper ? ".math" : SCROLLERS)) cut.push(element);
    }
    faults.push(...few(outside.map((element) => {
      const { left, right } = element.getBoundingClientRect();
      return `${name(element)} reaches from ${Math.round(left)} to ${Math.round(right)} in a window of ${width}`;
    })));
    faults.push(...few(cut.map((element) =>
      `${name(element)} is cut off: ${element.scrollWidth} × ${element.scrollHeight} in ${element.clientWidth} × ${element.clientHeight}`)));
    return [...faults, ...few(drawings(paper)), ...few(overlaps()), ...few(covered()), ...(paper ? [] : few(bars()))];
  };

  /** Scrollbars in a direction in which nothing goes on, and what scrolls down by accident. */
  const bars = () => {
    const faults = [];
    const DOWN = ".course, .results, dialog, .sheet, textarea, select";
    for (const element of document.body.querySelectorAll("*")) {
      const style = getComputedStyle(element);
      if ((!scrolls(style.overflowX) && !scrolls(style.overflowY)) || !element.clientWidth || !shown(element)) continue;
      const borders = (...sides) => sides.reduce((all, side) => all + parseFloat(style[`border${side}Width`]), 0);
      const across = element.offsetHeight - element.clientHeight - borders("Top", "Bottom");
      const down = element.offsetWidth - element.clientWidth - borders("Left", "Right");
      if (across > SLACK && element.scrollWidth <= element.clientWidth + SLACK) faults.push(`${name(element)} has a scrollbar and nothing beside`);
      if (down > SLACK && (!element.matches(DOWN) || element.scrollHeight <= element.clientHeight + SLACK))
        faults.push(`${name(element)} scrolls down by ${element.scrollHeight - element.clientHeight} px`);
    }
    return faults;
  };

  /** Words of a drawing that stand beyond its edge. */
  const drawings = () => {
    const faults = [];
    for (const svg of document.querySelectorAll("body svg")) {
      if (!shown(svg)) continue;
      const around = svg.getBoundingClientRect();
      for (const text of svg.querySelectorAll("text")) {
        const box = text.getBoundingClientRect();
        if (box.left < around.left - SLACK || box.right > around.right + SLACK || box.bottom > around.bottom + SLACK)
          faults.push(`${name(text)} stands beyond the edge of its drawing`);
      }
    }
    return faults;
  };

  /** Code that runs into the markers, in listings that do not scroll. */
  const overlaps = () => {
    const faults = [];
    for (const marker of document.querySelectorAll("pre .marker")) {
      const listing = scroller(marker);
      const line = marker.closest(".line");
      if (!shown(marker) || !line || (listing && listing.scrollWidth > listing.clientWidth + SLACK)) continue;
      const ring = marker.getBoundingClientRect();
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      while (texts.nextNode()) {
        if (texts.currentNode.parentElement.closest(".marker, .hidden") || !texts.currentNode.data.trim()) continue;
        const meets = (box) =>
          box.right > ring.left + SLACK && box.left < ring.right - SLACK && box.bottom > ring.top + 4 && box.top < ring.bottom - 4;
        // Words, for spaces at the end of a row hang over its edge.
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/\S+/g)) {
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if ([...range.getClientRects()].some(meets)) faults.push(`the code “${word.slice(0, 30)}” runs into the marker ${marker.textContent}`);
        }
      }
    }
    return faults;
  };

  /** Words that overlap other words. What is fixed in the window, or docked at its edge, covers the page by design. */
  const covered = () => {
    const pieces = [];
    const tucked = tucks();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    // The boxes that a place has to be within to be seen, or nothing if it is fixed in the window.
    const around = inherited([], (at, outer) => {
      if (at === document.body) return [];
      if (!outer) return outer;
      const { position, overflowX, overflowY } = getComputedStyle(at);
      if (position === "fixed" || (at.matches(".top") && scrollY > 0) || at.matches(".stack .answer, .act")) return null;
      return overflowX === "visible" && overflowY === "visible" ? outer : [...outer, at.getBoundingClientRect()];
    });
    const within = (box) => ({ top, bottom, left, right }) => box.top >= top && box.bottom <= bottom && box.left >= left && box.right <= right;
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      if (!texts.currentNode.data.trim() || element.closest("svg, math, pre, dialog, .hidden") || !shown(element) || tucked(element)) continue;
      range.selectNodeContents(texts.currentNode);
      for (const box of range.getClientRects()) if (box.width > 3 && around(element)?.every(within(box))) pieces.push({ element, box });
    }
    pieces.sort((one, other) => one.box.top - other.box.top);
    const faults = [];
    pieces.forEach(({ element, box }, index) => {
      for (let next = index + 1; next < pieces.length && pieces[next].box.top < box.bottom; next += 1) {
        const { element: other, box: under } = pieces[next];
        const across = Math.min(box.right, under.right) - Math.max(box.left, under.left);
        const down = Math.min(box.bottom, under.bottom) - under.top;
        if (element !== other && across > 3 && down > Math.min(box.height, under.height) / 2)
          faults.push(`${name(element)} overlaps ${name(other)}`);
      }
    });
    return [...new Set(faults)];
  };

  /** How much has moved by itself since the page was opened. */
  const shift = () =>
    new Promise((resolve) => {
      const faults = [];
      const read = (entries) => {
        for (const entry of entries)
          // Less is a word, or a part of the bar, that moves by a few pixels while the rest of the page still arrives. The same
          // pixels are more of a small window.
          if (!entry.hadRecentInput && entry.value >= (innerWidth < 400 ? 0.004 : 0.002))
            faults.push(`${entry.value.toFixed(4)} at ${Math.round(entry.startTime)} ms: ${entry.sources.map(({ node }) => node && name(node.nodeType === 1 ? node : node.parentElement)).join(", ")}`);
      };
      const observer = new PerformanceObserver((list) => read(list.getEntries()));
      observer.observe({ type: "layout-shift", buffered: true });
      const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd;
      setTimeout(() => {
        read(observer.takeRecords());
        resolve(few(faults));
      }, Math.max(50, loaded + 250 - performance.now()));
    });

  /** What moves though the reader wants stillness. */
  const motion = () => {
    const still = (value) => value.split(",").every((part) => parseFloat(part) === 0);
    const moving = [...document.querySelectorAll("*")].filter((element) => {
      const { transitionDuration, transitionProperty, animationName, animationDuration, scrollBehavior } = getComputedStyle(element);
      return (!still(transitionDuration) && transitionProperty !== "none") || (animationName !== "none" && !still(animationDuration)) || scrollBehavior === "smooth";
    });
    return few(moving.map((element) => `${name(element)} moves`));
  };

  // What is there for some readers only: on hover or focus, on paper, in a copy as text, on wide screens, with scripts.
  const SOMETIMES = "button, template, dialog, title, desc, annotation, details:not([open]), .definition, .outside, .dash, .legend, .stepper, [hidden], svg, .parts *, .continue, .by-lab, .was-read, .is-next, th.state, .gauge [class*=in-], " +
    ".session, .coming, .kept, .backup, .done, .erase, .shortcuts, .keys, .unfold, .picked, .lost, .sift, .guess, [role=status]";

  /** Text of the page's content that no reader gets to see, of what is there for all. */
  const hidden = () => {
    const faults = [];
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      if (!texts.currentNode.data.trim() || element.closest(SOMETIMES)) continue;
      const style = getComputedStyle(element);
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: !element.closest(".anchor") })) faults.push(`${name(element)} is not shown`);
      else if (style.color === "rgba(0, 0, 0, 0)") faults.push(`${name(element)} has no color`);
    }
    return few([...new Set(faults)]);
  };

  /** What marks a place by its shape must have one when colors are taken away. */
  const borders = () => {
    const bare = [...document.querySelectorAll("pre .marker")].filter((marker) => {
      const has = (style) => style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0;
      const inside = [marker, ...marker.querySelectorAll("*")].some((element) => has(getComputedStyle(element)));
      return shown(marker) && !inside && !["::before", "::after"].some((part) => has(getComputedStyle(marker, part)));
    });
    return few(bare.map((marker) => `${name(marker)} has no border`));
  };

  /** What has the focus: whether it shows, and whether it can be seen. */
  const focus = () => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const style = getComputedStyle(element);
    const inner = element.querySelector("*") && getComputedStyle(element.querySelector("*"));
    const has = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 && !/, 0\)$/.test(style.outlineColor);
    const faults = [];
    if (!has(style) && !(inner && has(inner)) && style.boxShadow === "none") faults.push(`${name(element)} does not show its focus`);
    const boxes = [...element.getClientRects()];
    const seen = boxes.some(({ left, right, top, bottom }) => right > 0 && bottom > 0 && left < innerWidth && top < innerHeight);
    if (!seen) faults.push(`${name(element)} has the focus out of sight`);
    const head = document.querySelector("header")?.getBoundingClientRect();
    if (seen && head && !element.closest("header, .skip, .course, dialog") && boxes.every(({ bottom }) => bottom <= head.bottom))
      faults.push(`${name(element)} has the focus under the header`);
    return { name: name(element), faults };
  };

  /** What stays in view while the page scrolls may take no more than half of a low window. */
  const stuck = () => {
    const faults = [];
    const tucked = tucks();
    for (const element of document.body.querySelectorAll("*")) {
      const { position } = getComputedStyle(element);
      if ((position !== "sticky" && position !== "fixed") || !shown(element) || tucked(element)) continue;
      // What stays only while its box is scrolled sideways.
      if (position === "sticky" && getComputedStyle(element).top === "auto" && getComputedStyle(element).bottom === "auto") continue;
      const { height } = element.getBoundingClientRect();
      if (height > innerHeight / 2) faults.push(`${name(element)} stays in view, ${Math.round(height)} px high in a window of ${innerHeight}`);
    }
    return few(faults);
  };

  /** Words, or parts of long names, that are broken in two in some elements. Chinese and Japanese may break anywhere. */
  const broken = (selector) => {
    const faults = [];
    const tucked = tucks();
    const range = document.createRange();
    for (const element of document.querySelectorAll(selector)) {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (shown(element) && !tucked(element) && texts.nextNode()) {
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/[^\s\-–/._\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu)) {
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          const rows = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4)));
          if (rows.size > 1 && word.length < 24) faults.push(`“${word}” is broken in ${name(element)}`);
        }
      }
    }
    return few(faults);
  };

  return { broken, layout, shift, motion, hidden, borders, focus, stuck };
})();
