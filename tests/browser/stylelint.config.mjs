// The style sheets use what the browsers of Baseline 2023 know, and otherwise only what a page does well without. Text and
// its lines have relative lengths, which grow with the font size of the browser's settings.
const OPTIONAL = [
  // A page is as it should be without these; they make it nicer.
  "accent-color", "font-size-adjust", "forced-color-adjust", "math-shift", "overflow-clip-margin", "overscroll-behavior",
  "print-color-adjust", "scrollbar-color", "scrollbar-gutter", "scrollbar-width", "text-autospace", "text-size-adjust", "text-wrap",
  // Fields of calculators have a smallest width.
  "field-sizing",
  // What would be hidden has no scroll-driven animation.
  "animation-timeline",
  // Long files are drawn at once, and scripts open what is folded, also on paper.
  "content-visibility",
  // It is also there with the prefix for Safari.
  "user-select",
  // Breaks of sheets
  "break-after", "break-before", "orphans", "widows",
];

export default {
  plugins: ["stylelint-plugin-use-baseline"],
  reportNeedlessDisables: true,
  rules: {
    "plugin/use-baseline": [
      true,
      {
        available: 2023,
        ignoreProperties: Object.fromEntries([...OPTIONAL.map((name) => [name, ["/./"]]), ["font-family", ["math"]]]),
        // Scripts open what is folded in browsers that do not know its box.
        ignoreSelectors: ["details-content"],
        // Numbers of sheets; and one measure for all fonts.
        ignoreAtRules: ["page", "property"],
        // The build writes it in older terms.
        ignoreFunctions: ["light-dark"],
      },
    ],
    "declaration-property-unit-disallowed-list": { "/^(font|font-size|line-height|--code|--row|--rows|--gutter|--top)$/": ["px"] },
    "media-feature-name-unit-allowed-list": { "/width|height/": ["em"] },
  },
};
