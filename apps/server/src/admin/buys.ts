import { settleParkedLeg, type OperationStore } from '@switchyard/buys';
import type { LedgerStore } from '@switchyard/ledger';
import { ownerFilter } from '@switchyard/tenancy';
import { err, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../tasks/ports/admin.js';
import type { PrincipalCaller } from '../tasks/task-call.js';
import { detailOf, summaryOf } from './buy-views.js';
import { instant, jsonObject } from './fields.js';
import { routesOn, type Immutable } from './route.js';

export interface BuysDeps {
  readonly operations: OperationStore;
  readonly ledger: Pick<LedgerStore, 'deliveredBy'>;
  readonly clock: Clock;
}

/** A media buy in one line. Amounts are decimal text. */
const summary = z.strictObject({
  media_buy_id: z.string(),
  operation_id: z.string(),
  buyer_ref: z.string().exactOptional(),
  status: z.string(),
  currency: z.string(),
  total_budget: z.string().describe('What the buyer has agreed to, as the ledger holds spend against it.'),
  current_total_budget: z
    .string()
    .describe(
      'What stands at the sellers now: their own amounts where they changed them, without what is canceled.',
    ),
  start_time: z.string(),
  end_time: z.string(),
  created_at: instant,
  sellers: z.array(z.strictObject({ seller: z.string(), status: z.string() })),
});
export type BuySummary = Immutable<z.output<typeof summary>>;

const leg = z.strictObject({
  leg_id: z.string(),
  seller: z.string(),
  task: z.string().describe('What the seller was asked: to make its part, or to change it.'),
  operation_id: z.string(),
  waits_for_person: z
    .literal(true)
    .exactOptional()
    .describe('Only a person can tell what became of it: POST /v1/legs/{id}/settle.'),
  task_status: z.string().describe('Of the task at that seller.'),
  task_id: z.string().exactOptional(),
  signed: z.boolean().exactOptional().describe('Whether our request to the seller carried our signature.'),
  status: z.string().exactOptional().describe('Of what the seller created; absent until it did.'),
  seller_media_buy_id: z.string().exactOptional(),
  observed_by: z.string().exactOptional().describe('Which channel settled it: answer, webhook or poll.'),
  elapsed_ms: z.number().exactOptional(),
  reason: z.string().exactOptional(),
  code: z.string().exactOptional(),
});
export type BuyLeg = Immutable<z.output<typeof leg>>;

const buyPackage = z.strictObject({
  package_id: z.string(),
  seller: z.string(),
  buyer_ref: z.string().exactOptional(),
  product_id: z.string(),
  pricing_option_id: z.string(),
  budget: z.string().describe('What the buyer has agreed to.'),
  current_budget: z.string().describe('What its seller holds now.'),
  canceled: z.literal(true).exactOptional(),
  quoted_terms: jsonObject
    .nullable()
    .describe('What its seller had quoted when it was bought; null where no quote of it is known.'),
  cancellation_cost: z
    .string()
    .nullable()
    .describe('What canceling the package now costs, in words; null where its seller quoted no terms.'),
  terms: jsonObject.describe('What holds of it now, by the names of 3.x.'),
  bid_price: z.string().exactOptional(),
  seller_package_id: z.string().exactOptional(),
  spend: z.string().exactOptional(),
  impressions: z.number().exactOptional(),
});
export type BuyPackage = Immutable<z.output<typeof buyPackage>>;

/** One change of one seller's part, or of a package there; also one that was refused. */
const change = z.strictObject({
  revision: z.int(),
  at: instant,
  seller: z.string(),
  actor: z.string(),
  action: z.string(),
  package_id: z.string().exactOptional(),
  detail: jsonObject,
  operation_id: z.string(),
});
export type BuyChangeView = Immutable<z.output<typeof change>>;

const detail = z.strictObject({
  ...summary.shape,
  revision: z.int(),
  changes: z.array(change).describe('Newest first, two hundred at most.'),
  task_id: z.string(),
  task_status: z.string(),
  legs: z.array(leg),
  packages: z.array(buyPackage),
});
export type BuyDetail = Immutable<z.output<typeof detail>>;

/** What a person found out of a leg; its seller's own id where something was made. */
const settlement = z.strictObject({
  outcome: z.enum(['made', 'not-made']),
  seller_buy: z.string().min(1).max(1_000).exactOptional(),
  reason: z.string().min(1).max(2_000),
});

/** How many changes of a buy are shown. */
const changesShown = 200;
/** How many buys a list shows. */
const buysShown = 200;

const route = routesOn<BuysDeps>();

/** Media buys, and legs that wait for a person. */
export const buyRoutes = [
  route({
    method: 'get',
    path: '/v1/buys',
    id: 'list_buys',
    summary: 'All media buys',
    needs: 'media_buys.read',
    answer: z.strictObject({ media_buys: z.array(summary) }),
    example: {
      media_buys: [
        {
          media_buy_id: 'mb_1',
          operation_id: '5f6b2c1e-0a55-4f0e-8c53-6c1b0f6a7d11',
          status: 'active',
          currency: 'USD',
          total_budget: '1000',
          current_total_budget: '1000',
          start_time: '2026-11-21T12:00:00.000Z',
          end_time: '2026-12-21T12:00:00.000Z',
          created_at: '2026-11-21T12:00:00.000Z',
          sellers: [{ seller: 'acme', status: 'active' }],
        },
      ],
    },
    handle: async ({ operations }, { caller }) => {
      const found = await operations.mediaBuys(caller, { limit: buysShown, ...ownerFilter(caller) });
      return ok({ media_buys: found.map(summaryOf) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/buys/{id}',
    id: 'show_buy',
    summary: 'One media buy with its part at each seller',
    needs: 'media_buys.read',
    answer: detail,
    handle: (deps, { caller, params }) => showBuy(deps, caller, params.id),
  }),
  route({
    method: 'post',
    path: '/v1/legs/{id}/settle',
    id: 'settle_leg',
    summary: 'Settle a parked leg by what a person found out, with a reason',
    needs: 'media_buys.approve',
    body: settlement,
    answer: z.strictObject({ leg_id: z.string(), task_status: z.string() }),
    example: { leg_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11', task_status: 'completed' },
    handle: async ({ operations, clock }, { caller, params: { id }, body }) => {
      if (!isUuid(id)) return err({ code: 'NOT_FOUND', message: 'No leg has this id.', field: 'leg' });
      const { outcome, reason, seller_buy: sellerBuyId } = body;
      const named = sellerBuyId === undefined ? {} : { sellerBuyId };
      const verdict = { legId: id, outcome, reason, ...named, by: caller.name };
      const ports = { store: operations, clock };
      const settled = await settleParkedLeg(ports, scopeOf(caller), verdict, ownerFilter(caller));
      if (settled.ok) return ok({ leg_id: id, task_status: settled.value.operation.status });
      const { code, message, field } = settled.error;
      return err({
        code: settleFailures[code] ?? 'INVALID_REQUEST',
        message,
        ...(field !== undefined && { field }),
      });
    },
  }),
];

/** A leg that is not there, or that waits for nobody. */
const settleFailures: Readonly<Record<string, AdminFailure['code']>> = {
  REFERENCE_NOT_FOUND: 'NOT_FOUND',
  INVALID_STATE: 'CONFLICT',
  CONFLICT: 'CONFLICT',
};

const scopeOf = ({ organizationId }: PrincipalCaller) => ({ organizationId });

async function showBuy(
  { operations, ledger, clock }: BuysDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<BuyDetail, AdminFailure>> {
  const scope = scopeOf(caller);
  const [record] = await operations.mediaBuys(scope, { ids: [id], limit: 1, ...ownerFilter(caller) });
  const state = record && (await operations.state(scope, record.buy.operationId));
  if (record === undefined || state === undefined)
    return err({ code: 'NOT_FOUND', message: 'No media buy of yours has this id.', field: 'id' });
  const [legs, changes, delivered] = await Promise.all([
    operations.legsAbout(scope, id),
    operations.changesOf(scope, id, changesShown),
    ledger.deliveredBy(scope, id),
  ]);
  return ok(detailOf(record, state.operation, { legs, changes }, delivered, clock.now()));
}
