/**
 * What each capability of the server may import besides `platform`: another one by its `index.ts` alone. A new pair is
 * a new word here. There is no circle in it, which `prove-fence.mjs` checks. `main` connects all and imports from everywhere.
 */
export const mayImport = {
  platform: [],
  people: [],
  sellers: [],
  creatives: [],
  'test-controller': [],
  notices: [],
  keys: ['people'],
  business: ['people'],
  market: ['sellers'],
  buys: ['business', 'market'],
  relay: ['keys', 'sellers', 'business'],
  ledger: ['keys', 'business', 'buys'],
  webhooks: ['keys', 'sellers', 'business', 'buys', 'relay'],
  finance: ['keys', 'business', 'ledger'],
};

/** Folders of `platform` that answer requests: nothing stands on them but `main`. */
const doors = ['mcp', 'assistants', 'a2a', 'rest', 'tasks/listing'];

/** A block of ESLint for each capability. It repeats the ban of `testing`: a later block replaces the earlier one's. */
export const serverFence = Object.keys(mayImport).map((name) => {
  const others = Object.keys(mayImport).filter((other) => other !== name && other !== 'platform');
  const patterns = [
    { group: ['@switchyard/testing', '**/testkit/**'], message: 'Specs alone import testing and test kits.' },
    { group: ['**/main/**'], message: 'main connects the capabilities, and none of them knows it.' },
    ...others.map((other) =>
      mayImport[name].includes(other)
        ? { group: [`**/${other}/**`, `!**/${other}/index.js`], message: `Take it from ${other}/index.js.` }
        : {
            group: [`**/${other}/**`],
            message: `${name} may not import ${other}: see tools/lint-fixture/server-modules.mjs.`,
          },
    ),
    ...(name === 'platform'
      ? []
      : [
          {
            group: doors.map((door) => `**/platform/${door}/**`),
            message: 'Nothing stands on what answers requests.',
          },
        ]),
  ];
  return {
    files: [`apps/server/src/${name}/**/*.ts`],
    ignores: ['**/*.spec.ts', '**/testkit/**'],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
});
