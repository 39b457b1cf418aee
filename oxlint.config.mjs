import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/**
 * The rules of typescript-eslint's strictest presets, enforced by oxlint: it reads types in a tenth of ESLint's time.
 * What oxlint does not have, or not finished, is enforced by ESLint (`eslint.config.mjs`), so that each rule of the
 * presets stands in one of the two, or in `dropped`. oxlint refuses to start when it is given the name of a rule that it does not have.
 */
export const leftToEslint = [
  'no-dupe-args',
  'no-octal',
  'no-undef',
  // oxlint refuses `(a?.b)!.c` as well.
  'no-unsafe-optional-chaining',
  'no-useless-assignment',
];

/** Nobody enforces these: oxlint does not have them, and they alone would make ESLint read every type of the project. */
const dropped = [
  '@typescript-eslint/no-unsafe-class-instance-assignment',
  '@typescript-eslint/no-unsafe-enum-assignment',
];

export const ignored = [
  '**/dist/**',
  'apps/console/dist.*/**',
  '**/bundle/**',
  '**/node_modules/**',
  '.nx/**',
  '.data/**',
  '**/generated/**',
  '**/*.d.ts',
];

const rulesOf = (configs) => Object.assign({}, ...configs.map(({ rules }) => rules ?? {}));
/** The rules of the presets for every file, and for TypeScript. */
export const presets = {
  every: js.configs.recommended.rules,
  typescript: rulesOf([...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked]),
};

const isOn = (setting) => !['off', 0].includes(Array.isArray(setting) ? setting[0] : setting);

/** Under the names of oxlint, and without what the formatter decides. What is off matters where another preset has it on. */
function forOxlint(rules) {
  const taken = Object.entries(rules).filter(
    ([name, setting]) =>
      ![...leftToEslint, ...dropped].includes(name) &&
      !(name in prettier.rules) &&
      (isOn(setting) || name in presets.every),
  );
  return Object.fromEntries(
    taken.map(([name, setting]) => [name.replace('@typescript-eslint/', 'typescript/'), setting]),
  );
}

export default {
  plugins: ['typescript', 'import', 'react'],
  categories: { correctness: 'off' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error', respectEslintDisableDirectives: false },
  ignorePatterns: ignored,
  // Types count: files that import each other are one file in two, whatever is left of it at run time.
  rules: { ...forOxlint(presets.every), 'import/no-cycle': ['error', { ignoreTypes: false, maxDepth: 100 }] },
  overrides: [
    {
      files: ['**/*.ts', '**/*.tsx'],
      rules: forOxlint({
        ...presets.typescript,
        '@typescript-eslint/restrict-template-expressions': [
          'error',
          { allowNumber: true, allowBoolean: true },
        ],
        '@typescript-eslint/consistent-type-imports': 'error',
        '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
        '@typescript-eslint/no-extraneous-class': 'off',
        '@typescript-eslint/consistent-type-definitions': 'off',
        '@typescript-eslint/no-confusing-void-expression': 'off',
        '@typescript-eslint/dot-notation': 'off',
      }),
    },
    {
      // A statement that nobody awaits can outlive its tenant's transaction: `void` does not excuse it here.
      files: ['libs/adapters/store/**/*.ts', 'tools/lint-fixture/typed.ts'],
      rules: { 'typescript/no-floating-promises': ['error', { ignoreVoid: false }] },
    },
    {
      // A hook behind a condition ends the page once the condition changes.
      files: ['apps/console/**/*.ts', 'apps/console/**/*.tsx'],
      rules: { 'react/rules-of-hooks': 'error' },
    },
    {
      files: ['**/*.spec.ts', 'apps/e2e/**/*.ts', 'libs/testing/**/*.ts'],
      rules: {
        'typescript/no-non-null-assertion': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-argument': 'off',
      },
    },
  ],
};
