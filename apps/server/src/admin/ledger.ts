import type { Checkpoint } from '@switchyard/journal';
import { ledgerExport, type LedgerEntry, type LedgerStore } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, ok } from '@switchyard/values';
import { z } from 'zod';
import type { LedgerVerifier } from '../composition/verify-ledger.js';
import { instant, jsonObject } from './fields.js';
import { routesOn } from './route.js';

export interface LedgerDeps {
  readonly ledger: Pick<LedgerStore, 'spendBySeller' | 'entriesOf' | 'stream'>;
  readonly verifier: LedgerVerifier;
}

/** One entry of the ledger's chain; its members are those of the text that was hashed. */
const entry = z.strictObject({
  entry_id: z.string(),
  kind: z.string(),
  occurred_at: instant,
  seller: z.string(),
  hash: z.string(),
  postings: z.array(jsonObject),
  facts: jsonObject,
});

const verdict = z.strictObject({
  ok: z.boolean(),
  entries: z.int(),
  head: z.string().nullable().describe('Hash of the newest block; null while the journal is empty.'),
  since: z
    .strictObject({
      entries: z.int(),
      verified_at: instant,
      whole_at: instant.describe('When everything was last read.'),
    })
    .exactOptional()
    .describe('The checkpoint that reading began at; absent where everything was read.'),
  reason: z.string().exactOptional().describe('What is broken first, when ok is false.'),
  problems: z
    .array(z.strictObject({ code: z.string(), message: z.string(), at: z.string() }))
    .exactOptional()
    .describe(
      'All that is broken, a hundred at most; at is an id, the number of a block or the key of a sum.',
    ),
  problem_total: z.int().exactOptional().describe('How many there are, those beyond the hundred included.'),
});
export type LedgerVerdict = z.output<typeof verdict>;

const route = routesOn<LedgerDeps>();

/** The ledger: what was spent, and whether the chain holds. */
export const ledgerRoutes = [
  route({
    method: 'get',
    path: '/v1/ledger/spend',
    id: 'ledger_spend',
    summary: 'Spend by seller and currency',
    needs: 'ledger.read',
    answer: z.strictObject({
      spend: z.array(z.strictObject({ seller: z.string(), currency: z.string(), spend: z.string() })),
    }),
    example: { spend: [{ seller: 'acme', currency: 'USD', spend: '12.5' }] },
    handle: async ({ ledger }, { caller }) => {
      const rows = await ledger.spendBySeller(scopeOf(caller));
      return ok({ spend: rows.map(({ seller, currency, spend }) => ({ seller, currency, spend })) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/ledger/verify',
    id: 'ledger_verify',
    summary: 'Recompute the chain and its sums since the last checkpoint, or all with from_start',
    needs: 'ledger.read',
    query: z.strictObject({ from_start: z.enum(['true', 'false']).exactOptional() }),
    answer: verdict,
    example: { ok: true, entries: 0, head: null },
    handle: async ({ verifier }, { caller, query }) => {
      const fromStart = query.from_start === 'true';
      const read = await verifier.verify(scopeOf(caller), { fromStart });
      const { ok: holds, entries, head, since, problems, problemTotal } = read;
      const [problem] = problems;
      return ok({
        ok: holds,
        entries: Number(entries),
        head: entries === 0n ? null : head.hash,
        ...(since && { since: sinceOf(since) }),
        ...(problem && { reason: problem.message, problems, problem_total: problemTotal }),
      });
    },
  }),
  route({
    method: 'get',
    path: '/v1/ledger/entries/{id}',
    id: 'ledger_entries',
    summary: 'What the chain holds of one media buy: bought, changed, canceled, delivered',
    needs: 'ledger.read',
    answer: z.strictObject({ entries: z.array(entry) }),
    handle: async ({ ledger }, { caller, params }) =>
      ok({ entries: (await ledger.entriesOf(scopeOf(caller), params.id)).map(entryView) }),
  }),
  route({
    method: 'get',
    path: '/v1/ledger/export',
    id: 'ledger_export',
    summary: 'The whole chain as one document that verifies by itself',
    needs: 'ledger.read',
    answer: jsonObject,
    handle: async ({ ledger }, { caller }) => ok(ledgerExport(await ledger.stream(scopeOf(caller)))),
  }),
];

const scopeOf = ({ organizationId }: TenantScope): TenantScope => ({ organizationId });

const sinceOf = ({ head, verifiedAt, wholeAt }: Checkpoint) => ({
  entries: Number(head.entryTotal),
  verified_at: isoOf(verifiedAt),
  whole_at: isoOf(wholeAt),
});

function entryView(entry: LedgerEntry) {
  return {
    entry_id: entry.id,
    kind: entry.kind,
    occurred_at: isoOf(entry.occurredAt),
    seller: entry.seller,
    hash: entry.hash,
    postings: entry.postings.map(({ account, day, currency, amountMicros }) => ({
      account,
      day,
      currency,
      amount: microsToDecimal(amountMicros),
    })),
    facts: entry.facts,
  };
}
