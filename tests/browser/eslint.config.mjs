// The rules that ESLint recommends, for scripts that are no modules: from disk, browsers run none.
// They call what the browsers of Baseline 2023 have: `package.json` lists these. What has no name of its own, such as a method
// of texts, is found by the type check, which knows the language of 2023.
import js from "@eslint/js";
import compat from "eslint-plugin-compat";
import tests from "./package.json" with { type: "json" };

export default [
  js.configs.recommended,
  compat.configs["flat/recommended"],
  {
    languageOptions: { sourceType: "script" },
    settings: { browsers: tests.browserslist },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    // Names that are declared nowhere are found by the type check.
    rules: { "no-undef": "off" },
  },
];
