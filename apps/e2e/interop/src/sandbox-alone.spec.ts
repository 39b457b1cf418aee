import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRunner, type Runner } from './runner/start-runner.js';
import { startSandbox, type RunningSandbox } from './sellers/start-sandbox.js';

const elsewhere =
  'it registers an address beyond this machine, which the market never calls, and a secret that newer sellers decline';
const unsaid = 'its creative does not say where it comes from, as this seller wants';
const unread = 'over A2A its client throws at every task that failed, so that it reads no refusal';
const later = 'the signal is live some time later';

interface Expected {
  readonly seller: string;
  readonly storyboard: string;
  readonly passed: number;
  /** Steps that fail, each with the cause. */
  readonly failures?: Readonly<Record<string, string>>;
  /** Storyboards name the same keys and signals: this one is played at sellers that know of no other. */
  readonly afresh?: true;
}

const expected: readonly Expected[] = [
  { seller: 'prompt', storyboard: 'capability_discovery', passed: 2 },
  { seller: 'prompt', storyboard: 'schema_validation', passed: 8 },
  { seller: 'prompt', storyboard: 'error_compliance', passed: 9 },
  {
    seller: 'prompt',
    storyboard: 'sales_guaranteed',
    passed: 40,
    failures: { 'sales_guaranteed/create_buy_submitted: Create a guaranteed media buy': elsewhere },
  },
  { seller: 'prompt', storyboard: 'sales_non_guaranteed', passed: 37, afresh: true },
  { seller: 'exacting', storyboard: 'schema_validation', passed: 8 },
  {
    seller: 'exacting',
    storyboard: 'sales_guaranteed',
    passed: 21,
    failures: {
      'media_buy_seller/pending_creatives_to_start/supply_creatives: Sync the creative asset': unsaid,
    },
  },
  {
    seller: 'courier',
    storyboard: 'schema_validation',
    passed: 7,
    failures: { 'schema_validation/temporal_validation: Reject reversed flight dates': unread },
  },
  { seller: 'signals-prompt', storyboard: 'signal_marketplace', passed: 7 },
  { seller: 'signals-prompt', storyboard: 'signals_baseline', passed: 4, afresh: true },
  {
    seller: 'signals-later',
    storyboard: 'signal_marketplace',
    passed: 5,
    failures: { 'signal_marketplace/platform_activation: Activate signal on a DSP': later },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'switchyard-sellers-'));
const markets: RunningSandbox[] = [];
let runner: Runner;
beforeAll(async () => {
  runner = startRunner(folder);
  for (const afresh of [undefined, true] as const) {
    const rows = expected.filter((row) => row.afresh === afresh);
    const own = join(folder, String(afresh));
    markets.push(await startSandbox(own, [...new Set(rows.map(({ seller }) => seller))]));
  }
});
afterAll(async () => {
  for (const market of markets) market.end();
  await runner.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the storyboard runner of @adcp/sdk, at sellers of the sandbox market without us', () => {
  it.each(expected)('finds in $storyboard of $seller only what the table explains', async (row) => {
    const seller = markets[row.afresh ? 1 : 0]?.sellers.find(({ slug }) => slug === row.seller);
    if (seller === undefined) throw new Error(`There is no ${row.seller}.`);
    const { agent_url: url, token, protocol } = seller;
    const { passed, failures } = await runner.run({ url, token, storyboard: row.storyboard, protocol });
    expect({ passed, failures: failures.map(({ step }) => step).toSorted() }).toEqual({
      passed: row.passed,
      failures: Object.keys(row.failures ?? {}).toSorted(),
    });
  });
});
