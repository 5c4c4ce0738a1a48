import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Decisions that the strict preset leaves open. Formatting is Biome's. */
const rules = {
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/only-throw-error': 'error',
  // A promise returned inside try must be awaited there, else its catch and finally come too early.
  '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  // Numbers and booleans read well in a message; objects do not.
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  // `() => undefined` and `() => void something()` say that nothing is meant to come back.
  '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
  // TypeScript itself demands the brackets (noPropertyAccessFromIndexSignature).
  '@typescript-eslint/dot-notation': 'off',
  // Row types, payload maps and the like are type parameters for the caller's benefit, even when used once.
  '@typescript-eslint/no-unnecessary-type-parameters': 'off',
  // A function may be async for its contract: a thrown error then is a rejection like every other.
  '@typescript-eslint/require-await': 'off',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'all' }],
  eqeqeq: 'error',
  'no-console': 'error',
  'max-params': ['error', 4],
  'max-lines': ['error', { max: 300 }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  complexity: ['error', 15],
  'no-restricted-syntax': [
    'error',
    { selector: 'ExportDefaultDeclaration', message: 'Export by name; only *.config.* files have a default export.' },
    { selector: 'TSEnumDeclaration', message: 'Use a frozen list `as const` and the union of its values.' },
  ],
};

/** A test is read from top to bottom: a long one is not yet a bad one, and a describe holds a whole file. */
const testRules = {
  'max-lines': 'off',
  'max-lines-per-function': 'off',
  complexity: 'off',
  // A test says what it knows about its own fixture.
  '@typescript-eslint/no-non-null-assertion': 'off',
  // Vitest's asymmetric matchers (`expect.stringContaining`) are typed as any.
  '@typescript-eslint/no-unsafe-assignment': 'off',
};

export default defineConfig(
  globalIgnores(['**/dist/**', '**/node_modules/**', '**/generated/**', '**/coverage/**']),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules,
  },
  { files: ['**/*.config.ts', '**/*.config.js'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['**/*.test.ts', 'test/**/*.ts'], rules: testRules },
  // Programs speak on standard output; a library or a service has a logger.
  {
    files: ['apps/*/src/main*.ts', 'apps/examples/*/src/**/*.ts', 'apps/bench/src/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parser: tseslint.parser },
    rules: { 'max-lines': ['error', { max: 300 }], 'max-params': ['error', 4], eqeqeq: 'error' },
  },
);
