import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { jsonOf, runSwitchyard } from './harness/run-switchyard.js';

interface History {
  readonly closed: readonly string[];
  readonly due: string;
  readonly open: string;
  readonly invoices: number;
  readonly due_breaks: number;
  readonly open_breaks: number;
  readonly quarantined: number;
}
interface Difference {
  readonly break_id: string;
  readonly kind: string;
  readonly seller: string;
  readonly state: string;
}

const folder = dataFolder();
let instance: Instance;
let played: History;

const requested = <T>(...args: readonly string[]): Promise<T> => jsonOf<T>([...args, '--data', folder.path]);

beforeAll(async () => {
  instance = await startInstance(folder.path);
  played = await requested<History>('sandbox', 'history');
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const statesOf = async (): Promise<Readonly<Record<string, string>>> => {
  const rows = await requested<{ period: string; state: string }[]>('periods', 'list');
  return Object.fromEntries(rows.map(({ period, state }) => [period, state]));
};
const differences = async (): Promise<readonly Difference[]> => {
  const of = ['--period', played.due, '--state', 'open'];
  return (await requested<{ breaks: readonly Difference[] }>('breaks', 'list', ...of)).breaks;
};

describe('the past quarter that a first start creates', () => {
  it('leaves the last completed month to finance: billed, compared and not closed, like the open one', async () => {
    const { closed, due, open } = played;
    expect([...closed, due, open]).toEqual([...closed, due, open].toSorted());
    expect(due < new Date().toISOString().slice(0, 7)).toBe(true);
    const expected = { ...Object.fromEntries(closed.map((month) => [month, 'closed'])), [due]: 'open' };
    expect(await statesOf()).toMatchObject({ ...expected, [open]: 'open' });
    const { stderr, code } = await runSwitchyard(['periods', 'close', due, '--data', folder.path]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Open breaks: ${played.due_breaks}.`)]);
  });

  it('includes the typical deviation of each seller in the month to close', async () => {
    const found = await differences();
    expect(found.map(({ seller, kind }) => `${seller} ${kind}`).sort()).toEqual([
      'auction over_delivery',
      'behind missing_package',
      'courier time_zone_cut',
      'courier time_zone_cut',
      'human units',
      'seed duplicate_invoice',
      'slow wrong_po',
    ]);
  });

  it('lets finance close the month as the guide describes: admit, compare, resolve, close, make the statement', async () => {
    const { due } = played;
    const held = await requested<{ event_id: string; seller: string }[]>(
      'events',
      'list',
      '--state',
      'quarantined',
    );
    expect(held.map(({ seller }) => seller)).toEqual(['human', 'human']);
    for (const { event_id: id } of held) await requested('events', 'admit', id, '--reason', 'confirmed');
    await requested('reconcile', '--period', due);
    const found = await differences();
    expect(found.map(({ seller }) => seller)).not.toContain('human');
    for (const { break_id: id } of found)
      await requested('breaks', 'resolve', id, '--as', 'accept', '--reason', 'agreed with the seller');
    await requested('periods', 'close', due);
    expect(await statesOf()).toMatchObject({ [due]: 'closed' });
    const file = join(folder.path, 'statement.json');
    await requested('statement', 'make', '--period', due, '--out', file);
    const keys = ['--jwks', `${instance.url}/.well-known/jwks.json`];
    const { code, stdout } = await runSwitchyard(['verify', file, ...keys]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^The statement in \S+ is valid/)]);
    const ledger = join(folder.path, 'ledger.json');
    writeFileSync(ledger, (await runSwitchyard(['ledger', 'export', '--data', folder.path])).stdout);
    const both = await runSwitchyard(['verify', file, ledger, ...keys]);
    expect([both.code, both.stdout]).toEqual([0, expect.stringContaining('the sums of the entries')]);
    expect((await runSwitchyard(['statement', 'verify', file])).code).toBe(3);
    expect(readFileSync(file, 'utf8')).toMatch(/"period_state": "closed"/);
  });

  it('changes nothing when it is created again after the close', async () => {
    const again = await requested<History>('sandbox', 'history');
    expect(again).toMatchObject({
      closed: [...played.closed, played.due],
      due_breaks: 0,
      invoices: played.invoices,
      quarantined: 0,
    });
    expect(await statesOf()).toMatchObject({ [played.due]: 'closed', [played.open]: 'open' });
  });
});
