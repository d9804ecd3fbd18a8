// The rules that ESLint recommends, for scripts that are no modules: from disk, browsers run none.
import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    languageOptions: { sourceType: "script" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    // Names that are declared nowhere are found by the type check.
    rules: { "no-undef": "off" },
  },
];
