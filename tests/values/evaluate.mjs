// Computes and prints calculators with the script of the site, in Node. Reads a list of calculators with their settings,
// and writes for each the values, as the bits of doubles, and the texts.
import { readFileSync } from "node:fs";

const [script, cases] = process.argv.slice(2);
const nothing = { $$: () => [], addEventListener() {} };
const window = { infralens: { ...nothing } };
new Function("window", "document", "addEventListener", "location", readFileSync(script, "utf8"))(window, nothing, () => {}, { hash: "" });

const { walk, print, read } = window.infralens.calc;
const bits = (value) => new BigUint64Array(new Float64Array([value]).buffer)[0].toString(16);
const compute = ({ inputs, results }, setting) => {
  const names = { ...setting };
  for (const { name, tree } of results) names[name] = walk(tree, names);
  return [...inputs, ...results].map((item) => [item.name, Number.isNaN(names[item.name]) ? "NaN" : bits(names[item.name]), print(item, names[item.name])]);
};
const computed = JSON.parse(readFileSync(cases, "utf8")).map(({ tree, settings }) => [read(tree), settings]).map(([tree, settings]) => settings.map((setting) => compute(tree, setting)));
process.stdout.write(JSON.stringify(computed));
