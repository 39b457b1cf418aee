/**
 * `npm run bench -- fanout [--quick] [--no-sdk] [--no-server] [--only fifty|fivehundred|hung|percall] [--memory ROUNDS]`
 *
 * `npm run bench -- relay [--quick] [--no-sdk] [--only one|sixteen|buys|manybuys] [--caller sdk|bare]`
 *
 * `npm run bench -- hostile [--quick] [--only TEXT]`
 *
 * `npm run bench -- crowd [--quick] [--only crowd|neighbours]`
 *
 * `npm run bench -- idle [--quick]`
 *
 * `npm run bench -- imports [--quick]`
 *
 * `npm run bench -- endurance [--quick] [--minutes 60] [--pause 0]`
 *
 * `npm run bench -- growth [--quick]`
 *
 * `npm run bench -- lists [--quick]`
 *
 * `npm run bench -- console [--quick]` (needs Chromium)
 *
 * `npm run bench -- ledger [--quick] [--only inbox|months|sellers|verify|archive] [--rows 1000000]`
 *
 * `npm run bench -- traces [--quick]`
 *
 * Prints a table per part and appends every row to `tools/bench/results/<name>.jsonl` with the time, the commit and
 * the machine, so that figures can be compared with those of the same machine only.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { consolePages } from './console.mjs';
import { crowd } from './crowd.mjs';
import { endurance } from './endurance.mjs';
import { fanout } from './fanout.mjs';
import { growth } from './growth.mjs';
import { hostile } from './hostile.mjs';
import { idle } from './idle.mjs';
import { imports } from './imports.mjs';
import { ledger } from './ledger.mjs';
import { lists } from './lists.mjs';
import { relay } from './relay.mjs';
import { traces } from './traces.mjs';
import { verifyLedger } from './verify-ledger.mjs';
import { verify } from './verify.mjs';
import { webhooks } from './webhooks.mjs';

const benchmarks = {
  console: consolePages,
  crowd,
  endurance,
  fanout,
  growth,
  hostile,
  idle,
  imports,
  ledger,
  lists,
  relay,
  traces,
  verify,
  'verify-ledger': verifyLedger,
  webhooks,
};
const hidden = new Set(['scenario', 'contender', 'errors']);
const shown = (row) => Object.fromEntries(Object.entries(row).filter(([column]) => !hidden.has(column)));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    'no-sdk': { type: 'boolean', default: false },
    'no-server': { type: 'boolean', default: false },
    only: { type: 'string' },
    rows: { type: 'string' },
    minutes: { type: 'string' },
    pause: { type: 'string', default: '0' },
    caller: { type: 'string' },
    memory: { type: 'string', default: '0' },
  },
});
const [name = ''] = positionals;
const benchmark = benchmarks[name];
if (benchmark === undefined) {
  console.error(`Which one? ${Object.keys(benchmarks).join(', ')}`);
  process.exit(2);
}

const context = {
  at: new Date().toISOString(),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model,
  load: loadavg()[0],
};
const tables = await benchmark({
  quick: values.quick,
  sdk: !values['no-sdk'],
  wholeServer: !values['no-server'],
  only: values.only,
  rest: Number(values.pause),
  ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
  ...(values.rows !== undefined && { rows: Number(values.rows) }),
  caller: values.caller,
  memoryRounds: Number(values.memory),
});
const folder = fileURLToPath(new URL('./results/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const rows of tables) {
  for (const scenario of new Set(rows.map((row) => row.scenario))) {
    const ofScenario = rows.filter((row) => row.scenario === scenario);
    console.log(scenario);
    console.table(Object.fromEntries(ofScenario.map((row) => [row.contender, shown(row)])));
  }
  for (const row of rows) {
    if ((row.errors?.length ?? 0) > 0) console.log(`  ${row.contender}: ${row.errors.join(' | ')}`);
    appendFileSync(`${folder}${name}.jsonl`, `${JSON.stringify({ ...context, ...row })}\n`);
  }
  console.log('');
}
console.log(
  `node ${context.node}, ${context.cores} cores, load ${context.load.toFixed(1)} at the start; commit ${context.commit}`,
);
