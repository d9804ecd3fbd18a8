// Calculators: computes what their fields say. `site.js` loads it when one comes near. What it computes and prints is the same, bit for bit, as in `src/values`.
"use strict";
(() => {
  const { $, $$, copy, fill } = window.infralens;

  const raise = (value, power) => {
    let product = 1;
    for (let n = Math.abs(power); n--; ) product *= value;
    return power < 0 ? 1 / product : product;
  };
  const operations = {
    "<": (a, b) => a < b,
    "<=": (a, b) => a <= b,
    ">": (a, b) => a > b,
    ">=": (a, b) => a >= b,
    "==": (a, b) => a === b,
    "!=": (a, b) => a !== b,
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => a / b,
    "^": raise,
    min: (a, b) => (b < a ? b : a),
    max: (a, b) => (b > a ? b : a),
    neg: (a) => -a,
    ceil: Math.ceil,
    floor: Math.floor,
    round: (a) => Math.sign(a) * Math.round(Math.abs(a)),
    sqrt: Math.sqrt,
    ceil_log2(a) {
      let [exponent, power] = [0, a > 0 ? 1 : NaN];
      for (; power < a; power *= 2) exponent++;
      for (; power / 2 >= a; power /= 2) exponent--;
      return exponent + 0 * power;
    },
  };

  /** Computes a tree; NaN if a number on the way is not finite. */
  const walk = (tree, names) => {
    let value = tree;
    if (Array.isArray(tree)) {
      const [name, ...list] = tree;
      const how = operations[name === "if" ? list.shift() : name];
      const values = list.splice(0, name === "if" ? 2 : list.length).map((part) => walk(part, names));
      value = values.length > 1 ? values.reduce((a, b) => how(a, b)) : how(values[0]);
      if (values.some(isNaN)) value = NaN;
      else if (name === "if") value = walk(list[value ? 0 : 1], names);
    } else if (typeof tree === "string") value = names[tree];
    return isFinite(value) ? value : NaN;
  };

  const from = ([, more, less], value) => (value * less) / more;
  const to = ([, more, less], number) => (number * more) / less;
  const fixed = (number, decimals) => {
    const digits = Math.abs(number).toFixed(decimals);
    return (number < 0 && /[1-9]/.test(digits) ? "-" : "") + digits;
  };
  const group = (digits) => digits.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  const trim = (digits) => (digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits);

  /** Prints a value in the best of some units. */
  const natural = (value, scale) => {
    const size = Math.abs(value) || 1;
    const unit = scale.findLast((unit) => from(unit, size) >= 1) ?? scale[0];
    const name = unit[0] && ` ${unit[0]}`;
    const number = from(unit, value);
    const exponent = +number.toExponential(3).split("e")[1];
    if (exponent < -6 || exponent > 14) {
      const ten = raise(10, Math.abs(exponent));
      const power = `${exponent}`.replace(/./g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit] ?? "⁻");
      return `${trim(fixed(exponent < 0 ? number * ten : number / ten, 3))}·10${power}${name}`;
    }
    const digits = trim(fixed(number, Math.max(3 - exponent, 0)));
    return (Math.abs(number) >= 1e4 ? group(digits) : digits) + name;
  };

  /** Prints the value of an input, or of a result as its pin says. */
  const print = ({ format, scale, unit }, value) => {
    if (isNaN(value)) return "—";
    if (!format) return natural(value, scale ?? [unit]);
    const number = from(format.own, value);
    const size = Math.abs(+fixed(number, format.decimals));
    let digits;
    // Digits are added where rounding would change the number by more than 1 %.
    for (let more = 0; more < 4 && size >= format.least && size < format.most && !digits; more++) {
      const rounded = fixed(number, format.decimals + more);
      if (Math.abs(+rounded - number) <= Math.abs(number) * 0.01) digits = rounded;
    }
    return (digits ? (format.grouping ? group(digits) : digits) + format.own[0] : natural(value, format.scale)) + format.label;
  };

  /** Puts the units that results are printed in, which are listed once, where they are used. */
  const read = (calculator) => {
    for (const result of calculator.results) {
      const format = result.format ?? result;
      format.scale = calculator.scales[format.scale];
    }
    return calculator;
  };

  /** Values by name. One may be called `constructor`. */
  const named = () => Object.create(null);

  const build = (figure) => {
    const { inputs, results, sweep, stack } = read(JSON.parse(figure.dataset.calc));
    const all = [...inputs, ...results];
    const defaults = $("[data-set]", figure).dataset.set;
    const cell = (name) => $(`[data-value="${name}"] td`, figure)?.firstChild;
    const find = (wanted) => all.find(({ name }) => name === wanted);
    const compute = (names) => {
      for (const { name, tree } of results) names[name] = walk(tree, names);
      return names;
    };
    const bar = stack && window.infralens.stack?.(figure, stack, { inputs, find, cell, compute, print, to });
    const draw = (row, names) => {
      const [input, result] = [find(sweep.input), find(sweep.result)];
      const [low, high] = input.range;
      const points = [];
      for (let step = 0; step <= 32; step++) {
        const number = from(input.unit, low + (high - low) * (step / 32) * (step / 32));
        const x = to(input.unit, input.decimals ? number : operations.round(number));
        const y = compute(Object.assign(named(), names, { [input.name]: x }))[result.name];
        if (!isNaN(y)) points.push({ x, y });
      }
      const now = { x: names[input.name], y: names[result.name] };
      row.hidden = points.length < 2 || isNaN(now.x + now.y);
      if (row.hidden) return;
      const heights = points.map(({ y }) => y);
      const [bottom, top] = [Math.min(0, ...heights), Math.max(0, ...heights)];
      const place = ({ x, y }) => [4 + (312 * (x - low)) / (high - low), 112 - (92 * (y - bottom)) / (top - bottom || 1)].map((part) => part.toFixed(1));
      $("polyline", row).setAttribute("points", points.map(place).join(" "));
      $("circle", row).setAttribute("transform", `translate(${place(now)})`);
      $("text", row).textContent = print(result, top);
      const [first, last] = [points[0], points.at(-1)];
      const words = { input: input.name, result: result.name, low: print(input, first.x), high: print(input, last.x) };
      $("p", row).textContent = fill(figure.dataset.chart, { ...words, from: print(result, first.y), to: print(result, last.y) });
    };
    const show = () => {
      const names = named();
      for (const { name, unit } of inputs) {
        const field = cell(name);
        const message = field.validationMessage;
        field.nextSibling.textContent = message;
        field.ariaInvalid = !!message;
        names[name] = message ? NaN : to(unit, +field.value);
      }
      compute(names);
      for (const item of all) {
        const words = print(item, names[item.name]);
        for (const node of [cell(item.name), ...$$(`[data-of="${item.name}"]`, figure)])
          if (node?.matches("output, var") && node.textContent !== words) node.textContent = words;
      }
      const row = $(".chart", figure);
      if (row) draw(row, names);
      bar?.show(names);
    };
    /** Sets inputs as an address does, `layers=32,tokens=8192`, and the others to their defaults. */
    figure.set = (values) => {
      for (const pair of `${defaults},${values}`.split(",")) {
        const [name, value] = pair.split("=");
        if (find(name)?.unit && isFinite(+value)) cell(name).value = value;
      }
      figure.oninput();
    };
    figure.oninput = (event) => {
      bar?.choose(event?.target);
      show();
      figure.kept = inputs.map(({ name }) => `${name}=${cell(name).value}`).join();
    };
    figure.onchange = () => history.replaceState(history.state, "", `#${figure.id}:${figure.kept}`);
    // The preview builds a calculator again after an edit of its page.
    if (figure.kept) figure.set(figure.kept);
    else show();
    figure.onclick = async ({ target }) => {
      const { set, copied } = target.dataset;
      if (set === undefined && !copied) return;
      figure.set(set ?? figure.kept ?? "");
      figure.onchange();
      if (!copied) return;
      target.nextSibling.textContent = (await copy(location.href)) ? copied : window.infralens.words.not_copied;
      setTimeout(() => (target.nextSibling.textContent = ""), 2000);
    };
  };

  // What the address sets: `#C-cache:layers=32,tokens=8192`.
  const follow = () => {
    const [id, values] = location.hash.split(":");
    const figure = $$(".calc").find((figure) => id === `#${encodeURI(figure.id)}`);
    if (!values || !figure) return;
    figure.set(values);
    figure.scrollIntoView();
  };
  /** Builds what is new, or was sent again: what the reader types in the others stays as it is. */
  const start = () => {
    for (const figure of $$(".calc")) {
      if (figure.field && figure.contains(figure.field)) continue;
      build(figure);
      figure.field = $("input, output", figure);
    }
  };
  window.infralens.calc = { walk, print, read };
  addEventListener("hashchange", follow);
  document.addEventListener("infralens:update", start);
  start();
  follow();
})();
