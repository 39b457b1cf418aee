import type { ConnectionDirectory } from '@switchyard/sellers';
import type { CapabilityVersions, SellerLife } from '@switchyard/store';
import { err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { routesOn } from '../platform/routes/route.js';
import { findSeller } from './accounts/find-seller.js';
import { figuresOf, type SellerFiguresDeps } from './seller-figures.js';
import { measure, scorecard, scorecardOf, thresholdsOf, thresholdsView } from './seller-scorecard.js';

interface ScorecardDeps extends SellerFiguresDeps {
  readonly connections: ConnectionDirectory;
  readonly life: SellerLife;
  readonly capabilityVersions: Pick<CapabilityVersions, 'of'>;
}

const example = {
  thresholds: [{ measure: 'failed_share', threshold: 0.02, usual: 0.05, is_set: true }],
} as const;

const seller = z.string().min(1).max(64).exactOptional();

const route = routesOn<ScorecardDeps>();

/** How sellers do, and what is too much. An hourly look raises an alarm where one is beyond (`look-at-sellers.ts`). */
export const scorecardRoutes = [
  route({
    method: 'get',
    path: '/v1/sellers/{slug}/scorecard',
    id: 'seller_scorecard',
    summary: 'How a seller did in the last 30 days, measure by measure, each beside its threshold',
    needs: 'sellers.read',
    answer: scorecard,
    example: {
      slug: 'acme',
      since: '2026-10-22T12:00:00.000Z',
      measures: [
        { measure: 'answer_p95_ms', value: 12_400, threshold: 10_000, state: 'beyond' },
        { measure: 'failed_share', value: 0.01, threshold: 0.05, state: 'within' },
      ],
    },
    handle: async (deps, { caller, params }) => {
      const found = await findSeller(deps, caller, params.slug);
      if (!found.ok) return found;
      const { id, slug } = found.value;
      const read = (await figuresOf(deps, scopeOf(caller), [id])).get(id);
      const drift = await deps.capabilityVersions.of(scopeOf(caller), id);
      const own = await deps.life.thresholds(scopeOf(caller), id);
      return read === undefined
        ? err<AdminFailure>({
            code: 'NOT_FOUND',
            message: 'There is no seller with this slug.',
            field: 'slug',
          })
        : ok(scorecardOf(slug, read, drift, own));
    },
  }),
  route({
    method: 'get',
    path: '/v1/sellers/scorecard/thresholds',
    id: 'list_scorecard_thresholds',
    summary: 'The thresholds of the scorecards of sellers, or of one seller',
    needs: 'sellers.read',
    query: z.strictObject({ seller: seller.describe('The slug of a seller: what holds for it.') }),
    answer: thresholdsView,
    example,
    handle: (deps, { caller, query }) => thresholds(deps, caller, query.seller),
  }),
  route({
    method: 'post',
    path: '/v1/sellers/scorecard/thresholds',
    id: 'set_scorecard_threshold',
    summary: 'Set a threshold of the scorecards of all sellers or of one, or let the wider one hold again',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({
      measure,
      threshold: z
        .number()
        .min(0)
        .max(1_000_000_000)
        .nullable()
        .describe('Above it a measure is beyond; null: that of all sellers, or the usual one.'),
      seller: seller.describe('The slug of the seller; absent: all.'),
    }),
    answer: thresholdsView,
    example,
    handle: async (deps, { caller, body }) => {
      const narrow = organizationWide(caller, 'sellers', 'write');
      if (narrow !== undefined) return err(narrow);
      const found = await idOf(deps, caller, body.seller);
      if (!found.ok) return found;
      const { measure: name, threshold } = body;
      await deps.life.setThreshold(scopeOf(caller), {
        measure: name,
        value: threshold ?? undefined,
        ...(found.value !== undefined && { sellerId: found.value }),
      });
      return thresholds(deps, caller, body.seller);
    },
  }),
];

async function idOf(
  deps: ScorecardDeps,
  caller: PrincipalCaller,
  slug: string | undefined,
): Promise<Result<string | undefined, AdminFailure>> {
  if (slug === undefined) return ok(undefined);
  const found = await findSeller(deps, caller, slug);
  return found.ok ? ok(found.value.id) : err({ ...found.error, field: 'seller' });
}

async function thresholds(deps: ScorecardDeps, caller: PrincipalCaller, slug: string | undefined) {
  const found = await idOf(deps, caller, slug);
  return found.ok ? ok(thresholdsOf(await deps.life.thresholds(scopeOf(caller), found.value))) : found;
}
