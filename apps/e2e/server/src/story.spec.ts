import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataFolder, postmasterOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { startInstance, wholeMarket, type Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { processesOf } from './harness/processes.js';
import { jsonOf, runSwitchyard, type Finished } from './harness/run-switchyard.js';

/** One folder, three starts: the story on fresh data, again on the same data, and one that stays up for requests. */
const folder = dataFolder();
let first: Finished;
let second: Finished;
let instance: Instance;
let database: OwnerView;
/** What remained after the first start had ended. */
let leftAfter: { readonly processes: readonly number[]; readonly postmaster: boolean };

beforeAll(async () => {
  first = await runSwitchyard(['up', '--data', folder.path, '--once']);
  leftAfter = { processes: processesOf(folder.path), postmaster: postmasterOf(folder.path) !== undefined };
  second = await runSwitchyard(['up', '--data', folder.path, '--once']);
  instance = await startInstance(folder.path, wholeMarket);
  database = await ownerView(folder.path);
});

afterAll(async () => {
  await database.close();
  await instance.stop();
  await folder.remove();
});

describe('the campaign that `up --once` plays on fresh data', () => {
  it('succeeds, writes nothing to standard error, and ends with its last line and no process running', () => {
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' });
    expect(leftAfter).toEqual({ processes: [], postmaster: false });
  });

  it('goes from brief to ledger in numbered steps', () => {
    const steps = [...first.stdout.matchAll(/^(\d)\. (.+)$/gm)].map(
      ([, number, title]) => `${number} ${title}`,
    );
    expect(steps).toEqual([
      expect.stringMatching(/^1 .*starts/),
      expect.stringMatching(/^2 .*brief.*whole market/),
      expect.stringMatching(/^3 .*answer/),
      expect.stringMatching(/^4 .*buys across 3 sellers/),
      expect.stringMatching(/^5 .*reported by signed webhook/),
      expect.stringMatching(/^6 .*ledger adds up/),
      expect.stringMatching(/^7 .*domain becomes a seller/),
      expect.stringMatching(/^8 .*succeeded/),
    ]);
  });

  it('names every sales agent of the market in its own row, including the one that hangs', () => {
    const rows = [
      ...first.stdout.matchAll(/^ {3}(\S+) +(answered|slow|refused|failed|skipped) +\d+ ms {2}\S/gm),
    ];
    expect(rows.map(([, seller]) => seller).sort()).toEqual(
      [
        'auction',
        'behind',
        'courier',
        'flapping',
        'hanging',
        'human',
        'malformed',
        'prompt',
        'seed',
        'slow',
      ].sort(),
    );
    expect(rows.find(([, seller]) => seller === 'hanging')?.[2]).toBe('slow');
  });

  it('compares offers whose ids begin with their seller', () => {
    const [, comparison = ''] = /\n3\. [^\n]+\n([\s\S]+?)\n4\. /.exec(first.stdout) ?? [];
    const offers = [...comparison.matchAll(/^ +(\S+) +(\S+):(\S+) .* (USD|EUR) *$/gm)];
    expect(offers.length).toBeGreaterThanOrEqual(7);
    for (const [line, seller, prefix] of offers) expect([line, prefix]).toEqual([line, seller]);
  });

  it('shows the human’s answer arriving by signed webhook, and the two others inline', () => {
    expect(first.stdout).toMatch(/^ {3}human +completed +by signed webhook, mb_/m);
    expect(first.stdout).toMatch(/^ {3}prompt +completed +by its inline answer, mb_/m);
    expect(first.stdout).toMatch(/^ {3}courier +completed +by its inline answer, mb_/m);
  });

  it('ends with books that are equal for all three sellers', () => {
    expect(first.stdout.match(/ equal *$/gm)).toHaveLength(3);
    expect(first.stdout).not.toContain('DIFFERENT');
  });

  it('reports on a second start with the same data that its ledger is verified, and plays nothing again', () => {
    expect({ code: second.code, stderr: second.stderr }).toEqual({ code: 0, stderr: '' });
    expect(second.stdout).toMatch(/ledger is verified\n +\d+ entries, each balanced; head [0-9a-f]{16}/);
    expect(second.stdout).not.toContain('buys across');
  });
});

interface SpendRow {
  readonly seller: string;
  readonly currency: string;
  readonly spend: string;
}

describe('the ledger of the played campaign', () => {
  it('balances: postings sum to zero in every currency and in every entry', async () => {
    const sums = await database.rows<{ currency: string; sum: string; lines: number }>(
      'select currency, sum(amount_micros)::text as sum, count(*)::int as lines from ledger_posting group by currency',
    );
    expect(sums.map(({ currency, sum }) => [currency, sum])).toEqual([['USD', '0']]);
    expect(sums[0]?.lines).toBeGreaterThan(40);
    const unbalanced = await database.rows(
      'select entry_id from ledger_posting group by entry_id, currency having sum(amount_micros) <> 0',
    );
    expect(unbalanced).toEqual([]);
  });

  it('verifies, and `ledger verify --from-start --json` reports it with the head of the database', async () => {
    const verdict = await jsonOf<Record<string, unknown>>([
      'ledger',
      'verify',
      '--from-start',
      '--data',
      folder.path,
    ]);
    const heads = await database.rows<{ hash: string; entries: number }>(
      "select hash, entry_total::int as entries from journal_head where stream = 'ledger'",
    );
    expect(verdict).toEqual({ ok: true, entries: heads[0]?.entries, head: heads[0]?.hash });
    expect(Object.keys(verdict)).toEqual(['ok', 'entries', 'head']);
    expect(heads[0]?.entries).toBeGreaterThan(20);
  });

  it('equals each seller’s own books, to the micro', async () => {
    const spend = await jsonOf<SpendRow[]>(['ledger', 'spend', '--data', folder.path]);
    const theirs = (await Market.of(folder.path).books()).flatMap(({ slug, buys }) =>
      buys.map(({ currency, spend_micros: micros }) => ({ seller: slug, currency, micros })),
    );
    const ours = spend.map(({ seller, currency, spend: text }) => ({
      seller,
      currency,
      micros: microsOf(text),
    }));
    const bySeller = (a: { seller: string }, b: { seller: string }): number =>
      a.seller.localeCompare(b.seller);
    expect(ours.sort(bySeller)).toEqual(theirs.sort(bySeller));
    expect(ours.map(({ seller }) => seller)).toEqual(['courier', 'human', 'prompt']);
  });

  it('keeps the corrected figures beside the first ones: each seller sent one adjusted and one final report', async () => {
    const kinds = await database.rows<{ seller: string; kinds: string[] }>(
      `select seller, array_agg(distinct notification_type order by notification_type) as kinds
       from report_version group by seller order by seller`,
    );
    expect(kinds).toEqual(
      ['courier', 'human', 'prompt'].map((seller) => ({ seller, kinds: ['adjusted', 'final', 'scheduled'] })),
    );
  });

  it('left no webhook unapplied and none in quarantine', async () => {
    const states = await database.rows('select state, count(*)::int from inbox_event group by state');
    expect(states.map((row) => (row as { state: string }).state)).toEqual(['applied']);
  });

  it('shows the buy with its three legs to `buys` and `buys show`', async () => {
    const buys = await jsonOf<{ media_buy_id: string; status: string; sellers: unknown[] }[]>([
      'buys',
      '--data',
      folder.path,
    ]);
    expect(buys).toMatchObject([{ status: 'completed', currency: 'USD', sellers: [{}, {}, {}] }]);
    const [buy] = buys;
    const shown = await jsonOf<object>(['buys', 'show', buy?.media_buy_id ?? '', '--data', folder.path]);
    expect(shown).toMatchObject({
      total_budget: '29900.5',
      legs: expect.arrayContaining([
        expect.objectContaining({ seller: 'human', task_status: 'completed', observed_by: 'webhook' }),
      ]),
    });
  });
});

/** Exact, from decimal text with up to six decimals. */
function microsOf(text: string): string {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return BigInt(whole + fraction.padEnd(6, '0')).toString();
}
