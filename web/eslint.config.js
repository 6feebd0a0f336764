import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
  { ignores: ['node_modules/', 'src/api/schema.d.ts', 'src/api/limits.ts', 'src/api/settings.ts'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...ts.configs.stylistic,
  ...svelte.configs.recommended,
  ...svelte.configs.prettier,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      // TypeScript itself finds undefined names, and knows the types of the page.
      'no-undef': 'off',
      // Own links: the router listens on the document, so that plain <a href> works.
      'svelte/no-navigation-without-resolve': 'off',
      // Collections here are replaced, not changed: assigning the new one is what is followed.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  { files: ['*.js'], languageOptions: { globals: globals.node } },
  { files: ['public/sw.js'], languageOptions: { globals: globals.serviceworker } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig },
    },
  },
);
