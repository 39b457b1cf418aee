/**
 * The folders of `libs/domain/buys/src`, each of which may import those before it and none after: so that no two of them
 * need each other. A new folder is a new word here.
 */
export const floors = [
  ...['model', 'signals', 'terms', 'apply', 'call', 'campaigns', 'control', 'market', 'plan', 'proposals'],
  ...['spending', 'run', 'tasks', 'creatives', 'read', 'update', 'usage', 'activate', 'approvals', 'create'],
];

/** A block of ESLint for each floor. It repeats `bans` of the domain: a later block replaces the earlier one's. */
export const buysFence = (bans) =>
  floors.slice(0, -1).map((name, at) => ({
    files: [`libs/domain/buys/src/${name}/**/*.ts`],
    ignores: ['**/*.spec.ts', '**/testkit/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...bans,
            {
              group: floors.slice(at + 1).map((above) => `../${above}/*`),
              message: `${name} stands below: see tools/lint-fixture/buys-floors.mjs.`,
            },
          ],
        },
      ],
    },
  }));
