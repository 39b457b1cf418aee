import type { Organizations, SpendingLimits } from '@switchyard/store';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { authorize } from '@switchyard/tenancy';
import { ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../routes/fields.js';
import { scopeOf, type PrincipalCaller } from '../tasks/call/task-call.js';
import { routesOn } from '../routes/route.js';
import type { Reading } from './need-source.js';
import { needSources } from './need-sources.js';
import { sellers } from './seller-needs.js';
import { needActs, needKinds, rankNeeds } from './rank-needs.js';

export interface NeedsDeps {
  /** Answers a list that reads, as its own route does for this caller; undefined where it is refused. */
  readonly readRoute: (
    id: string,
    request: {
      readonly caller: PrincipalCaller;
      readonly query?: Readonly<Record<string, string>>;
      readonly params?: Readonly<Record<string, string>>;
    },
  ) => Promise<unknown>;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly spendingLimits: Pick<SpendingLimits, 'rates'>;
  readonly clock: Clock;
}

const need = z.strictObject({
  need_id: z.string().describe('The same each time that the same thing waits.'),
  kind: z.enum(needKinds),
  loses: z.boolean().describe('It loses money now, and does not only wait.'),
  object: z.strictObject({ kind: z.string(), id: z.string(), name: z.string() }),
  title: z.string(),
  reason: z.string(),
  amount: z.string().exactOptional(),
  currency: z.string().exactOptional(),
  amount_is: z.string().exactOptional().describe('What the amount is.'),
  ranked_amount: z.string().exactOptional().describe('In the reporting currency, by the newest rate.'),
  due_on: z.string().exactOptional(),
  since: instant.exactOptional(),
  act: z.enum(needActs).describe('The deed that ends it.'),
});

const route = routesOn<NeedsDeps>();

/** What waits for the caller, of everything that it may read and end. */
export const needRoutes = [
  route({
    method: 'get',
    path: '/v1/needs',
    id: 'list_needs',
    summary: 'What needs you, in the order of what it costs: first what loses money now',
    needs: 'a_credential',
    answer: z.strictObject({
      needs: z.array(need),
      counts: z
        .record(z.string(), z.string())
        .describe('How much waits by kind of object: 7, or 50+ where more were not read.'),
      reporting_currency: z.string(),
    }),
    example: {
      needs: [
        {
          need_id: 'campaign 0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1 USD',
          kind: 'overspend',
          loses: true,
          object: {
            kind: 'campaign',
            id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
            name: 'Nova autumn launch',
          },
          title: 'Nova autumn launch will overspend',
          reason: 'The forecast is above the budget by its last day, 2026-11-30.',
          amount: '6900',
          currency: 'USD',
          amount_is: 'over budget',
          ranked_amount: '6900',
          act: 'lower_budgets',
        },
      ],
      counts: { breaks: '7', events: '2' },
      reporting_currency: 'USD',
    },
    handle: async (deps, { caller }) => {
      const now = deps.clock.now();
      const may = (permission: string): boolean => {
        const [area, kind] = permission.split('.') as [PermissionArea, PermissionKind];
        return authorize(caller, { access: 'credentials', area, permission: kind }).ok;
      };
      const read: Reading['read'] = async (schema, id, query = {}, params = {}) => {
        const answer = await deps.readRoute(id, { caller, query, params });
        return answer === undefined ? undefined : schema.parse(answer);
      };
      const known = may('sellers.read') ? await read(sellers, 'list_sellers', { limit: '500' }) : undefined;
      const names = new Map(known?.sellers.map(({ slug, name }) => [slug, name]));
      const reading: Reading = {
        now,
        caller,
        read,
        nameOf: (slug) => {
          const name = names.get(slug) ?? '';
          return name === '' ? slug : name;
        },
        hasSellers: known?.sellers.length !== 0,
      };
      const mine = needSources.filter(({ needs, acts }) => may(needs) && may(acts));
      const [found, organization, rates] = await Promise.all([
        Promise.all(mine.map(async (source) => ({ source, ...(await source.read(reading)) }))),
        deps.organizations.byId(caller.organizationId),
        deps.spendingLimits.rates(scopeOf(caller), now),
      ]);
      const reporting = organization?.reportingCurrency ?? 'USD';
      const counts = Object.fromEntries(
        found.flatMap(({ source, count, hasMore }) =>
          source.counts === undefined || count === 0
            ? []
            : [[source.counts, `${count}${hasMore === true ? '+' : ''}`]],
        ),
      );
      const ranked = rankNeeds(
        found.flatMap(({ needs }) => needs),
        (currency) => (currency === reporting ? '1' : rates(currency, reporting)),
      );
      return ok({ needs: ranked, counts, reporting_currency: reporting });
    },
  }),
];
