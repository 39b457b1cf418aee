import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';
import { ignored, leftToEslint, presets } from './oxlint.config.mjs';
import { buysFence } from './tools/lint-fixture/buys-floors.mjs';
import { serverFence } from './tools/lint-fixture/server-modules.mjs';

const domainBans = [
  {
    group: ['@nestjs/*', '@prisma/*', 'pg', 'pg/*', 'bullmq', 'undici', 'fastify'],
    message: 'The domain knows no framework and no database.',
  },
  {
    group: ['node:http', 'node:https', 'node:net', 'node:fs', 'node:fs/*', 'http', 'https'],
    message: 'The domain does no input or output.',
  },
];
const ofDomain = [...domainBans, { group: ['@switchyard/testing'], message: 'Specs alone import testing.' }];

/**
 * Key objects as Node generates them: why not is told in libs/domain/signing/src/jwk.ts. The Web Crypto function of the
 * same name, which libraries offer, makes none, and names its kinds in capitals.
 */
const keysAsGenerated = ['callee.name', 'callee.property.name'].map((name) => ({
  selector: `CallExpression[${name}=/^generateKeyPair(Sync)?$/][arguments.0.value=/^[a-z]/]:not(:has(Property[key.name='privateKeyEncoding']))`,
  message: 'Use generateSigningKey, or read the pair from its encoding: name privateKeyEncoding.',
}));

/**
 * What one release adds stands in its folder: docs/protocol/requests-and-versions.md#releases. Nothing else names it, so
 * that the next one is a folder too.
 */
const releasesInTheirFolders = ['Literal', 'TemplateElement'].map((node) => ({
  selector: `${node}[value${node === 'Literal' ? '' : '.raw'}=/^3\\.[2-9](\\.\\d+)?-/]`,
  message: 'Ask profile.release, or put it into libs/domain/protocol/src/releases.',
}));

/** Settings are read in one place, checked, and passed on. */
/** Prisma sends all of a moment in one statement, and they may be of several tenants. */
const inBatches = ['findUnique', 'findUniqueOrThrow'].map((property) => ({
  property,
  message: 'Use findFirst: docs/decisions/prisma-and-sql.md.',
}));

const environment = {
  object: 'process',
  property: 'env',
  message: 'Add a row to a file of apps/server/src/main/settings and pass the setting on.',
};

const left = (rules) =>
  Object.fromEntries(Object.entries(rules).filter(([name]) => leftToEslint.includes(name)));

/** What oxlint does not enforce: who may import what, syntax that we refuse, and the rules that it lacks. */
export default [
  { ignores: [...ignored, 'tools/lint-fixture/typed.ts'] },
  { rules: left(presets.every) },
  {
    files: ['**/*.ts', '**/*.tsx'],
    ignores: ['prisma.config.ts'],
    // None of the rules here reads types: oxlint does, in a tenth of the time.
    languageOptions: { parser: tseslint.parser },
    plugins: { '@nx': nx, '@typescript-eslint': tseslint.plugin },
    rules: {
      ...left(presets.typescript),
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allowCircularSelfDependency: false,
          // The launcher of a test database needs the store that it launches; the store's own specs need the launcher.
          ignoredCircularDependencies: [
            ['testing', 'store'],
            ['testing', 'kms'],
            // The vault's twins and contract suites live in testing, and its own specs run on them.
            ['testing', 'vault'],
            // The same holds for the buys, which stand on the fan-out.
            ['testing', 'buys'],
            ['testing', 'fanout'],
            // Testing reads the published schemas, and the protocol's specs compare with them.
            ['testing', 'protocol'],
          ].map(([a, b]) => [`@switchyard/${a}`, `@switchyard/${b}`]),
          depConstraints: [
            { sourceTag: 'type:domain', onlyDependOnLibsWithTags: ['type:domain', 'type:testing'] },
            { sourceTag: 'type:adapter', onlyDependOnLibsWithTags: ['type:domain', 'type:testing'] },
            // As a package of somebody else would: contracts, and nothing of what runs them.
            {
              sourceTag: 'type:connector',
              onlyDependOnLibsWithTags: ['lib:sellers', 'lib:ledger', 'lib:events', 'type:testing'],
            },
            { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:domain', 'type:adapter'] },
            {
              sourceTag: 'app:server',
              onlyDependOnLibsWithTags: ['type:domain', 'type:adapter', 'type:testing'],
            },
            {
              sourceTag: 'app:sandbox',
              onlyDependOnLibsWithTags: ['lib:protocol', 'lib:signing', 'type:testing'],
            },
            {
              sourceTag: 'app:cli',
              onlyDependOnLibsWithTags: ['type:domain', 'type:adapter', 'app:server', 'type:testing'],
            },
            // A browser runs it: it knows the routes, and no code of ours.
            { sourceTag: 'app:console', onlyDependOnLibsWithTags: [] },
            {
              sourceTag: 'type:e2e',
              onlyDependOnLibsWithTags: ['type:testing', 'type:domain', 'type:adapter', 'type:e2e'],
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Name what you export.' },
        ...keysAsGenerated,
        ...releasesInTheirFolders,
      ],
    },
  },
  {
    files: ['libs/domain/protocol/src/releases/release-*/**', '**/*.spec.ts', '**/testkit/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Name what you export.' },
        ...keysAsGenerated,
      ],
    },
  },
  {
    files: ['libs/domain/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testkit/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: ofDomain,
        },
      ],
      'no-restricted-globals': ['error', 'fetch', 'setTimeout', 'setInterval'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is passed in.' },
        { object: 'Math', property: 'random', message: 'Chance is passed in.' },
        environment,
      ],
    },
  },
  {
    files: ['libs/domain/ledger/**/*.ts', 'libs/domain/money/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-globals': ['error', 'parseFloat', 'fetch', 'setTimeout', 'setInterval'] },
  },
  {
    files: ['libs/adapters/**/*.ts', 'apps/server/**/*.ts', 'apps/sandbox/**/*.ts', 'apps/cli/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testkit/**'],
    rules: {
      'no-restricted-properties': ['error', environment, ...inBatches],
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@switchyard/testing'], message: 'Specs alone import testing.' }] },
      ],
    },
  },
  ...buysFence(ofDomain),
  ...serverFence,
  {
    files: ['**/*.mjs', 'prisma.config.ts'],
    rules: { 'no-restricted-syntax': ['error', ...keysAsGenerated] },
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        TextDecoder: 'readonly',
        TextEncoder: 'readonly',
      },
    },
  },
  {
    files: ['apps/console/public/*.js'],
    languageOptions: {
      globals: { document: 'readonly', localStorage: 'readonly', matchMedia: 'readonly' },
    },
  },
  prettier,
];
