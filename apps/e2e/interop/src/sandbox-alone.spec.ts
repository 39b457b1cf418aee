import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRunner, type Runner } from './runner/start-runner.js';
import { startSandbox, type RunningSandbox } from './sellers/start-sandbox.js';

const newerStatus = 'the runner reads the state of the buy in `status`, where 3.1 has the state of the task';
const elsewhere = 'it registers an address beyond this machine, which the market never calls';

interface Expected {
  readonly seller: string;
  readonly storyboard: string;
  readonly passed: number;
  /** Steps that fail, each with the cause. */
  readonly failures?: Readonly<Record<string, string>>;
}

const pending =
  'media_buy_seller/pending_creatives_to_start/create_without_creatives: Create buy in pending_creatives';
const lists =
  'media_buy_seller/inventory_list_targeting/verify_create_persisted: get_media_buys after create';

const expected: readonly Expected[] = [
  { seller: 'prompt', storyboard: 'capability_discovery', passed: 2 },
  { seller: 'prompt', storyboard: 'schema_validation', passed: 8 },
  { seller: 'prompt', storyboard: 'error_compliance', passed: 9 },
  {
    seller: 'prompt',
    storyboard: 'sales_guaranteed',
    passed: 27,
    failures: {
      [pending]: newerStatus,
      [lists]: newerStatus,
      'sales_guaranteed/create_buy_submitted: Create a guaranteed media buy': elsewhere,
    },
  },
  { seller: 'signals-prompt', storyboard: 'signal_marketplace', passed: 7 },
  { seller: 'exacting', storyboard: 'schema_validation', passed: 8 },
];

const folder = mkdtempSync(join(tmpdir(), 'switchyard-sellers-'));
let sandbox: RunningSandbox;
let runner: Runner;
beforeAll(async () => {
  runner = startRunner(folder);
  sandbox = await startSandbox(folder, [...new Set(expected.map(({ seller }) => seller))]);
});
afterAll(async () => {
  sandbox.end();
  await runner.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the storyboard runner of @adcp/sdk, at sellers of the sandbox market without us', () => {
  it.each(expected)('finds in $storyboard of $seller only what the table explains', async (row) => {
    const seller = sandbox.sellers.find(({ slug }) => slug === row.seller);
    if (seller === undefined) throw new Error(`There is no ${row.seller}.`);
    const { agent_url: url, token, protocol } = seller;
    const { passed, failures } = await runner.run({ url, token, storyboard: row.storyboard, protocol });
    expect({ passed, failures: failures.map(({ step }) => step).toSorted() }).toEqual({
      passed: row.passed,
      failures: Object.keys(row.failures ?? {}).toSorted(),
    });
  });
});
