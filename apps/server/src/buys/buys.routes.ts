import {
  settleParkedLeg,
  type BuyFilter,
  type ImpairmentRepository,
  type OperationStore,
} from '@switchyard/buys';
import type { LedgerStore } from '@switchyard/ledger';
import { createMediaBuy, credentialPlaces } from '@switchyard/protocol';
import type { NameReader } from '@switchyard/store';
import { reachOf, type StopRepository } from '@switchyard/tenancy';
import {
  defined,
  err,
  isUuid,
  ok,
  brandDomainOf,
  type Clock,
  type JsonObject,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PreviewBuy, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { buyPreview, previewView } from './buy-preview.js';
import { detail, detailOf, isUnsent, noMediaBuy, summary, summaryOf, type BuyDetail } from './buy-views.js';
import { day, jsonObject, moment, nameOrId } from '../platform/routes/fields.js';
import { sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';
import { namesWanted, namesWantedOf } from '../business/index.js';

interface BuysDeps {
  readonly operations: OperationStore;
  readonly ledger: Pick<LedgerStore, 'deliveredBy'>;
  /** Reads the names of ids. */
  readonly names: NameReader;
  readonly impairments: Pick<ImpairmentRepository, 'of'>;
  readonly stops: Pick<StopRepository, 'list'>;
  readonly clock: Clock;
  readonly previewBuy: PreviewBuy;
}

/** The outcome of a leg as a person found it; with the seller's own id if something was made. */
const settlement = z.strictObject({
  outcome: z.enum(['made', 'not-made']),
  seller_buy: z.string().min(1).max(1_000).exactOptional(),
  reason: z.string().min(1).max(2_000),
});

const dayMs = 24 * 3_600_000;

/** The most changes shown for one buy. */
const changesShown = 200;

const route = routesOn<BuysDeps>();

/** Media buys, and legs that wait for a person. */
export const buyRoutes = [
  route({
    method: 'get',
    path: '/v1/buys',
    id: 'list_buys',
    summary: 'Media buys',
    needs: 'media_buys.read',
    query: z.strictObject({
      status: z.string().max(200).exactOptional().describe('One or several, with commas between them.'),
      seller: nameOrId.exactOptional(),
      client: z.uuid().exactOptional().describe('Id of a client.'),
      brand: z.string().max(253).exactOptional().describe('Domain of a brand.'),
      campaign: z
        .union([z.uuid(), z.literal('none')])
        .exactOptional()
        .describe('Id of a campaign; none: buys that stand under none.'),
      since: moment.exactOptional().describe('Made at this time or later.'),
      until: moment.exactOptional().describe('Made before this time.'),
      runs_from: day.exactOptional().describe('Runs on this day or later (UTC).'),
      runs_to: day.exactOptional().describe('Runs on this day or earlier (UTC).'),
      impaired: z
        .literal('true')
        .exactOptional()
        .describe('Only buys that are not over and have an impairment.'),
      part_refused: z
        .literal('true')
        .exactOptional()
        .describe(
          'Only buys that are not over, and whose part at a seller was refused and is not placed elsewhere.',
        ),
      ids: z
        .string()
        .min(1)
        .max(10_000)
        .exactOptional()
        .describe('Only these, by their ids with commas between them: 100 at most.'),
      q: z.string().min(1).max(200).exactOptional().describe('How the reference of the buyer begins.'),
      ...sortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ media_buys: z.array(summary), next_cursor: nextCursor }),
    example: {
      media_buys: [
        {
          media_buy_id: 'mb_1',
          operation_id: '5f6b2c1e-0a55-4f0e-8c53-6c1b0f6a7d11',
          status: 'active',
          currency: 'USD',
          total_budget: '1000',
          current_total_budget: '1000',
          not_placed: '0',
          start_time: '2026-11-21T12:00:00.000Z',
          end_time: '2026-12-21T12:00:00.000Z',
          created_at: '2026-11-21T12:00:00.000Z',
          client: 'Nova Foods',
          client_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          brand: 'nova.example',
          brand_name: 'Nova',
          campaign: null,
          campaign_id: null,
          account: 'nova.example by agency.example',
          created_by: 'planner',
          created_by_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
          sellers: [
            {
              seller: 'acme',
              status: 'active',
              account: 'nova.example by agency.example',
              has_taken_it: true,
            },
          ],
          impairments: [],
        },
      ],
    },
    handle: async ({ operations, names, impairments, stops }, { caller, query }) => {
      const { status, seller, client, brand, campaign, since, until, q, ids: list } = query;
      const { runs_from: runsFrom, runs_to: runsTo, impaired, part_refused: partRefused } = query;
      const named = list?.split(',').map((part) => part.trim());
      if (named !== undefined && named.length > 100)
        return err({ code: 'INVALID_REQUEST', message: 'At most 100 ids can be given.', field: 'ids' });
      const filter: Omit<BuyFilter, 'limit'> = {
        reach: reachOf(caller, 'media_buys', 'read'),
        ...(status !== undefined && { shownAs: status.split(',').map((text) => text.trim()) }),
        ...defined({ seller, clientId: client }),
        ...(brand !== undefined && { brandDomain: brandDomainOf(brand) }),
        ...(campaign !== undefined && { campaignId: campaign === 'none' ? null : campaign }),
        ...defined({ since, until }),
        ...(runsFrom !== undefined && { runsAfter: Date.parse(runsFrom) }),
        ...(runsTo !== undefined && { runsBefore: Date.parse(runsTo) + dayMs }),
        ...(impaired !== undefined && { isImpaired: true }),
        ...(partRefused !== undefined && { isPartRefused: true }),
        ...defined({ refStart: q, ids: named, sort: query.sort }),
      };
      const page = await listPage(
        { id: 'list_buys', caller, query },
        ({ after, limit }) =>
          operations.mediaBuys(caller, {
            ...filter,
            ...(after && { after: { madeAt: Number(after[0]), id: String(after[1]) } }),
            limit,
          }),
        ({ buy }) => [buy.createdAt, buy.id],
      );
      if (!page.ok) return page;
      const known = await names.names(scopeOf(caller), namesWantedOf(page.value.rows));
      const ids = page.value.rows.map(({ buy }) => buy.id);
      const hurt = await impairments.of(scopeOf(caller), ids);
      const active = page.value.rows.some(isUnsent) ? await stops.list(scopeOf(caller)) : [];
      const rows = page.value.rows.map((record) =>
        summaryOf(record, known, { impairments: hurt.get(record.buy.id) ?? [], stops: active }),
      );
      return ok({ media_buys: rows, ...page.value.next });
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
    path: '/v1/buys/dry-run',
    id: 'preview_buy',
    summary: 'Show what create_media_buy would do with a request, and do nothing',
    needs: 'media_buys.write',
    readsOnly: true,
    secretsTaken: credentialPlaces(createMediaBuy.name),
    body: jsonObject.describe('A request as POST /v1/tasks/create_media_buy takes it.'),
    answer: buyPreview,
    example: {
      outcome: 'approval',
      currency: 'USD',
      total: '2500',
      client: 'Nova Foods',
      client_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
      brand: 'nova.example',
      brand_name: 'Nova',
      campaign: null,
      campaign_id: null,
      approval_reason: 'A buy above 2000 USD needs an internal approval.',
      sellers: [{ seller: 'acme', total: '2500', ok: true, problems: [], findings: [] }],
      problems: [],
      findings: [],
      limits: [
        {
          for: 'each-buy',
          currency: 'USD',
          per: null,
          above: 'ask',
          exceeded: true,
          limit: '2000',
          left: '2000',
          requested: '2500',
          left_after: '0',
        },
      ],
    },
    handle: async ({ previewBuy, names }, { caller, body, exact = new Map() }) => {
      const found = await previewBuy({ caller, args: body as JsonObject, exact });
      if (!found.ok) return err(found.error[0] ?? { code: 'INVALID_REQUEST', message: 'It was refused.' });
      const known = await names.names(scopeOf(caller), namesWanted([found.value.belonging ?? {}]));
      return ok(previewView(found.value, known, caller));
    },
  }),
  route({
    method: 'post',
    path: '/v1/legs/{id}/settle',
    id: 'settle_leg',
    summary: 'Settle a parked leg with the outcome that a person found out, and a reason',
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
      const settled = await settleParkedLeg(
        ports,
        scopeOf(caller),
        verdict,
        reachOf(caller, 'media_buys', 'approve'),
      );
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

/** A leg that does not exist, or that waits for no person. */
const settleFailures: Readonly<Record<string, AdminFailure['code']>> = {
  REFERENCE_NOT_FOUND: 'NOT_FOUND',
  INVALID_STATE: 'CONFLICT',
  CONFLICT: 'CONFLICT',
};

async function showBuy(
  { operations, ledger, names, impairments, stops, clock }: BuysDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<BuyDetail, AdminFailure>> {
  const scope = scopeOf(caller);
  const reach = reachOf(caller, 'media_buys', 'read');
  const [record] = await operations.mediaBuys(scope, { ids: [id], limit: 1, reach });
  const state = record && (await operations.state(scope, record.buy.operationId));
  if (record === undefined || state === undefined) return err(noMediaBuy);
  const [legs, changes, delivered, hurt, active] = await Promise.all([
    operations.legsAbout(scope, id),
    operations.changesOf(scope, id, changesShown),
    ledger.deliveredBy(scope, id),
    impairments.of(scope, [id]),
    stops.list(scope),
  ]);
  const wanted = namesWantedOf([record]);
  const principalIds = [...(wanted.principalIds ?? []), ...changes.map(({ principalId }) => principalId)];
  const known = await names.names(scope, { ...wanted, principalIds });
  const about = {
    legs,
    changes,
    delivered,
    names: known,
    impairments: hurt.get(id) ?? [],
    stops: active,
  };
  return ok(detailOf(record, state.operation, about, clock.now()));
}
