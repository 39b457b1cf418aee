import type { Found, ObjectSearch, SearchReach } from '@switchyard/store';
import type { PermissionArea } from '@switchyard/protocol';
import { reachOf, type Reach } from '@switchyard/tenancy';
import { ok } from '@switchyard/values';
import { z } from 'zod';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { tasksShown } from './list-filters.js';
import { routesOn } from './route.js';

interface SearchDeps {
  readonly search: ObjectSearch;
}

const found = z.strictObject({
  kind: z.enum([
    'brand',
    'campaign',
    'client',
    'creative',
    'dispute',
    'event',
    'invoice',
    'media_buy',
    'operation',
    'package',
    'payment',
    'payment_run',
    'principal',
    'seller',
    'team',
  ]),
  id: z.string(),
  name: z.string(),
  matched: z.string().describe('The member that fits.'),
  client: z.strictObject({ client_id: z.string(), name: z.string() }).exactOptional(),
  brand: z.string().exactOptional().describe('Domain of the brand.'),
  campaign: z.strictObject({ campaign_id: z.string(), name: z.string() }).exactOptional(),
});

const shown = 20;

const route = routesOn<SearchDeps>();

/** One search over everything that has an id or a name. */
export const searchRoutes = [
  route({
    method: 'get',
    path: '/v1/search',
    id: 'search',
    summary: 'Find by any id, or by the beginning of a name: twenty objects at most, ids first',
    needs: 'media_buys.read',
    query: z.strictObject({
      q: z
        .string()
        .trim()
        .min(2, 'must have two characters or more')
        .max(255)
        .refine((text) => !text.includes('\0'), 'has a character that no name has')
        .describe('An id as any answer has it, or how a name begins.'),
    }),
    answer: z.strictObject({ results: z.array(found) }),
    example: {
      results: [
        {
          kind: 'media_buy',
          id: 'mb_1',
          name: 'spring-launch',
          matched: 'media_buy_id',
          client: { client_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11', name: 'Nova' },
          brand: 'nova.example',
        },
      ],
    },
    handle: async ({ search }, { caller, query }) => {
      const scope = { organizationId: caller.organizationId };
      const rows = await search.find(scope, { text: query.q, limit: shown }, withinOf(caller));
      return ok({ results: rows.map(viewOf) });
    },
  }),
];

/** Each kind is limited to the reach of the permission that shows it. */
function withinOf(caller: PrincipalCaller): SearchReach {
  const reach = (area: PermissionArea): Reach => reachOf(caller, area, 'read');
  const [sellers, principals, finance] = [reach('sellers'), reach('principals'), reach('ledger')];
  return {
    buys: reach('media_buys'),
    creatives: reach('creatives'),
    events: reach('reports'),
    principals,
    // Documents of finance, a seller and a team belong to the whole organization.
    ...(finance.kind === 'everything' && { finance }),
    ...(sellers.kind === 'everything' && { sellers }),
    ...(principals.kind === 'everything' && { teams: principals }),
    operations: tasksShown(caller).map(({ tasks, filter }) => ({
      tasks,
      reach: filter.reach ?? { kind: 'everything' },
    })),
  };
}

function viewOf(hit: Found) {
  const { kind, id, name, matched, clientId, clientName, brandDomain, campaignId, campaignName } = hit;
  return {
    kind,
    id,
    name,
    matched,
    ...(clientId !== undefined &&
      clientName !== undefined && { client: { client_id: clientId, name: clientName } }),
    ...(brandDomain !== undefined && { brand: brandDomain }),
    ...(campaignId !== undefined &&
      campaignName !== undefined && { campaign: { campaign_id: campaignId, name: campaignName } }),
  };
}
