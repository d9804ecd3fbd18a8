// Calculators that stack values against a limit: the answer, its bar and what would make it fit. `calc.js` computes the values. What is shown is the same as in `src/render/calculator/stack.rs`.
"use strict";
(() => {
  const { $, $$, fill } = window.infralens;

  /** Reads a setting, `layers=32,tokens=8192`. */
  const pairs = (setting) => setting.split(",").map((pair) => pair.split("="));
  const percent = (share) => `${(share * 100).toFixed(2)}%`;

  window.infralens.stack = (figure, { parts, limit, vary }, { inputs, find, cell, compute, print, to }) => {
    const words = JSON.parse(figure.dataset.words);
    const groups = $$("[data-group]", figure);
    const label = (field) => {
      const head = $("th", field.closest("tr"));
      return $("span", head)?.textContent || head.textContent.trim();
    };
    const has = ([name, value]) => +cell(name).value === +value;
    const size = (value) => print(find(limit), value);

    /** What the calculator adds for some inputs. */
    const add = (names) => {
      const values = parts.map((name) => names[name]);
      return { values, total: values.reduce((sum, part) => sum + part, 0), limit: names[limit] };
    };
    const sum = (found) => fill(words.of, { total: size(found.total), limit: size(found.limit) });

    /** The changes after which the sum is within the limit. */
    const changes = (names) =>
      vary.flatMap((key) => {
        const group = groups.find((group) => group.dataset.group === key);
        const field = group ?? cell(key);
        const found = [];
        for (const option of field.options) {
          const set = group ? pairs(option.value) : [[key, option.value]];
          if (!option.value || set.every(has)) continue;
          const changed = Object.assign(Object.create(null), names);
          for (const [name, value] of set) changed[name] = to(find(name).unit, +value);
          const after = add(compute(changed));
          const value = (name) => set.find(([other]) => other === name)?.[1] ?? cell(name).value;
          const setting = inputs.map(({ name }) => `${name}=${value(name)}`).join();
          if (after.total <= after.limit) found.push({ text: `${label(field)}: ${option.text}`, after, setting });
        }
        return found.sort((a, b) => b.after.total / b.after.limit - a.after.total / a.after.limit).slice(0, 2);
      });

    /** Makes an element with a text. */
    const made = (name, text, values = {}) => Object.assign(document.createElement(name), { textContent: text }, values);
    const row = ({ text, after, setting }) => {
      const [item, place, button] = [made("li", ""), made("span", ""), made("button", words.try, { type: "button" })];
      button.dataset.set = setting;
      place.append(button);
      item.append(made("span", text), " ", made("span", sum(after)), " ", place);
      return item;
    };

    const draw = ({ values, total, limit: most }) => {
      const svg = $(".bar", figure);
      const share = (value) => value / Math.max(total, most);
      const at = share(most);
      let end = 0;
      const rects = $$('rect[class^="part"]', svg);
      values.forEach((value, index) => {
        end += value;
        $$(".parts tr", figure)[index].hidden = !value;
        rects[index].setAttribute("x", percent(share(end - value)));
        rects[index].setAttribute("width", percent(share(value)));
      });
      $(".room", svg).setAttribute("width", percent(at));
      $(".over", svg).setAttribute("x", percent(at));
      $(".over", svg).setAttribute("width", percent(Math.max(1 - at, 0)));
      for (const side of ["x1", "x2"]) $("line", svg).setAttribute(side, percent(at));
      const text = $(".limit text", figure);
      text.setAttribute("x", percent(at));
      text.setAttribute("text-anchor", at < 0.34 ? "start" : at > 0.66 ? "end" : "middle");
      const named = groups.find((group) => [...group.options].every((option) => !option.value || pairs(option.value).some(([name]) => name === limit)));
      const name = named?.value ? named.selectedOptions[0].text : "";
      text.textContent = name && [...name].length <= 24 ? name : size(most);
    };

    /** Writes a text if it is another one: what is announced is announced once. */
    const write = (selector, text) => {
      const node = $(selector, figure);
      if (node.textContent !== text) node.textContent = text;
    };

    return {
      /** Sets the inputs of a preset that was chosen. */
      choose(target) {
        if (target?.dataset?.group !== undefined && target.value) for (const [name, value] of pairs(target.value)) cell(name).value = value;
      },
      show(names) {
        for (const group of groups) {
          const found = [...group.options].find((option) => option.value && pairs(option.value).every(has));
          group.value = found?.value ?? "";
        }
        const found = add(names);
        const { values, total, limit: most } = found;
        const isKnown = isFinite(total + most);
        figure.classList.toggle("unknown", !isKnown);
        const rest = size(Math.abs(total - most));
        write(".verdict", isKnown ? fill(total <= most ? words.within : words.beyond, { rest, over: rest }) : "—");
        write(".sum", isKnown ? sum(found) : "");
        write(".total", size(total));
        const list = isKnown && total > most ? changes(names) : [];
        const box = $(".changes", figure);
        box.hidden = !isKnown || total <= most;
        const focused = box.contains(document.activeElement);
        $("ul", box).replaceChildren(...list.map(row));
        write(".changes p:last-child", list.length ? "" : words.unchanged);
        // The button that was pressed is gone.
        if (focused) $(".answer", figure).focus({ preventScroll: true });
        if (!isKnown) return write(".largest", "");
        const index = values.reduce((largest, value, at) => (value > values[largest] ? at : largest), 0);
        const part = $$(".parts th", figure)[index].textContent.trim();
        write(".largest", fill(words.largest, { part, value: print(find(parts[index]), values[index]) }));
        draw(found);
      },
    };
  };
})();
