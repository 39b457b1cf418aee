import { quotaKinds, type Organizations, type QuotaStore } from '@switchyard/store';
import { err, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { routesOn, type AdminCaller } from '../platform/routes/route.js';

export interface QuotasDeps {
  readonly quotaStore: QuotaStore;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly local: { readonly scope: { readonly organizationId: string } };
  readonly clock: Clock;
}

const kind = z.enum(quotaKinds);
const most = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const view = z.strictObject({
  organization_id: z.string(),
  quotas: z.array(
    z.strictObject({
      kind,
      most: most.exactOptional().describe('Absent: no limit.'),
      used: z.int().describe('Of the present day or month in UTC, or what is there.'),
    }),
  ),
});

const example = {
  organization_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  quotas: [
    { kind: 'calls_per_day' as const, most: 50_000, used: 1_204 },
    { kind: 'sellers' as const, used: 12 },
  ],
};

const route = routesOn<QuotasDeps>();

/** What organizations may use and have used. The operator sets it, never the organization itself. */
export const quotaRoutes = [
  route({
    method: 'get',
    path: '/v1/quotas/{id}',
    id: 'show_quotas',
    summary: 'Quotas and usage of an organization; `own` is yours',
    needs: 'principals.read',
    takesAdminSecret: true,
    answer: view,
    example,
    handle: async (deps, { caller, params: { id } }) => {
      const organizationId = await organizationOf(deps, caller, id);
      return organizationId === undefined ? err(notFound) : shown(deps, organizationId);
    },
  }),
  route({
    method: 'post',
    path: '/v1/quotas/{id}',
    id: 'set_quotas',
    summary: 'Set quotas of an organization; needs the admin secret of the data folder',
    needs: 'principals.write',
    takesAdminSecret: true,
    body: z
      .strictObject(
        Object.fromEntries(
          quotaKinds.map((name) => [name, most.nullable().exactOptional()] as const),
        ) as Record<(typeof quotaKinds)[number], z.ZodExactOptional<z.ZodNullable<typeof most>>>,
      )
      .describe('A kind that is absent stays; null removes its limit.'),
    bodyExample: { calls_per_day: 50_000, sellers: null },
    answer: view,
    example,
    handle: async (deps, { caller, params: { id }, body }) => {
      if (caller !== 'local') return err(onlyBySecret);
      const organizationId = await organizationOf(deps, caller, id);
      if (organizationId === undefined) return err(notFound);
      await deps.quotaStore.set({ organizationId }, body, deps.clock.now());
      return shown(deps, organizationId);
    },
  }),
];

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No organization has this id.', field: 'id' };
const onlyBySecret: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'Only the operator of this installation sets quotas.',
  suggestion: 'Run `switchyard organizations quotas` where the data folder is, or send its admin secret.',
};

/** `own` is the caller's organization; for the admin secret that of the data folder. Any other one is not found. */
async function organizationOf(
  { organizations, local }: QuotasDeps,
  caller: AdminCaller,
  named: string,
): Promise<string | undefined> {
  const own = caller === 'local' ? local.scope.organizationId : caller.organizationId;
  const id = named === 'own' ? own : named.toLowerCase();
  if (!isUuid(id) || (caller !== 'local' && id !== own)) return undefined;
  return (await organizations.byId(id))?.id;
}

async function shown(
  { quotaStore, clock }: QuotasDeps,
  organizationId: string,
): Promise<Result<z.output<typeof view>, AdminFailure>> {
  const { limits, used } = await quotaStore.state({ organizationId }, clock.now());
  const quotas = quotaKinds.map((name) => {
    const limit = limits[name];
    return { kind: name, ...(limit !== undefined && { most: limit }), used: used[name] };
  });
  return ok({ organization_id: organizationId, quotas });
}
