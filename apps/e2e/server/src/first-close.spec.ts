import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
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

type Row = Readonly<Record<string, unknown>>;
const rowsIn = (answer: Row, name: string): readonly Row[] => answer[name] as readonly Row[];
const textOf = (row: Row | undefined, name: string): string => String(row?.[name]);

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
      'prompt third_party',
      'seed duplicate_invoice',
      'slow wrong_po',
    ]);
  });

  it('has sellers in three time zones, whose files are read by their own days, fees, commission and tax', async () => {
    const of = `/v1/invoices?period=${played.due}&limit=100`;
    const invoices = rowsIn(await admin(instance, 'GET', of), 'invoices');
    const shown = (slug: string) =>
      invoices
        .filter(({ seller }) => seller === slug)
        .toSorted((a, b) => (textOf(a, 'number') < textOf(b, 'number') ? -1 : 1));
    const zones: unknown[] = [];
    for (const slug of ['human', 'prompt', 'slow']) {
      const calendar = await admin(instance, 'GET', `/v1/sellers/${slug}/calendar`);
      zones.push(rowsIn(calendar, 'zones').map((zone) => [zone['time_zone'], zone['by']]));
    }
    expect(zones).toEqual([
      [['America/New_York', 'product']],
      [['UTC', 'product']],
      [['Europe/Berlin', 'product']],
    ]);
    const [broadcast] = shown('human');
    const weekdays = ['service_from', 'service_to'].map((name) =>
      new Date(textOf(broadcast, name)).getUTCDay(),
    );
    expect(weekdays).toEqual([1, 0]);
    const [german] = shown('slow');
    expect(Number(german?.['tax'])).toBeCloseTo(Number(german?.['net']) * 0.19, 2);
    expect(shown('courier').map((half) => textOf(half, 'service_from').slice(8))).toEqual(['01', '16']);
    // Media alone is held against delivery: fees, tax and commission are no difference.
    const month = await admin(instance, 'GET', `/v1/periods/${played.due}`);
    for (const { seller, delivered, invoiced } of rowsIn(month, 'sellers'))
      if (['prompt', 'slow'].includes(String(seller)))
        expect(Number(invoiced)).toBeCloseTo(Number(delivered), 1);
  });

  it('has a duplicate that ended with a credit note, a dispute that is open, and clients that two people billed', async () => {
    const disputes = rowsIn(await admin(instance, 'GET', '/v1/disputes'), 'disputes');
    expect(disputes.map(({ seller, state, outcome }) => [seller, state, outcome]).toSorted()).toEqual([
      ...[
        ['auction', 'open', undefined],
        ['auction', 'open', undefined],
      ],
      ...[
        ['seed', 'closed', 'credited'],
        ['seed', 'closed', 'credited'],
      ],
    ]);
    const [first = '', last = ''] = played.closed;
    const billed = rowsIn(await admin(instance, 'GET', '/v1/billing'), 'billing');
    expect(billed.map(({ client, period, state }) => [period, client, state].join(' ')).toSorted()).toEqual([
      ...['Kite Airways', 'Lakeside Bikes', 'Nova Foods'].map((client) => `${first} ${client} paid`),
      ...['Kite Airways', 'Lakeside Bikes', 'Nova Foods'].map((client) => `${last} ${client} issued`),
    ]);
    const margins = rowsIn(await admin(instance, 'GET', `/v1/billing/margin?period=${last}`), 'margins');
    expect(margins.filter(({ margin }) => Number(margin) > 0)).toHaveLength(4);
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
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/"period_state": "closed"/);
    expect(text).toMatch(/"zones": \[\s*"America\/New_York",\s*"Europe\/Berlin"\s*\]/);
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
