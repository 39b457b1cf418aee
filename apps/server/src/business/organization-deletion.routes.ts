import type {
  NoticeStore,
  Organizations,
  OrganizationDeletion,
  OrganizationRemovals,
} from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, err, isoOf, isUuid, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { instant } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { routesOn, type AdminCaller } from '../platform/routes/route.js';

export interface OrganizationDeletionDeps extends ControlDeps {
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly removals: Pick<OrganizationRemovals, 'find' | 'keep'>;
  readonly notices: Pick<NoticeStore, 'add'>;
  readonly local: { readonly scope: TenantScope };
}

const view = {
  organization_id: z.string(),
  state: z.enum(['open', 'closed', 'removing', 'removed']),
  requested_by: z.string().exactOptional().describe('Id of the principal that requested it.'),
  closed_at: instant.exactOptional(),
  due_at: instant.exactOptional().describe('When its removal begins. Until then it can be opened again.'),
  removed_at: instant.exactOptional(),
  heads: z
    .array(
      z
        .looseObject({})
        .describe('The name of the journal, its last number and hash, and the anchor if there is one.'),
    )
    .exactOptional()
    .describe(
      'The last head of each of its journals and the last signed anchor of it: kept for whoever has a copy.',
    ),
  removed: z.record(z.string(), z.int()).exactOptional().describe('Rows that were removed, by table.'),
};
const deletion = z.strictObject(view);
type View = z.output<typeof deletion>;

const example = {
  organization_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  state: 'closed',
  requested_by: '5b0c9f63-8a6a-4d5f-9a43-2f8d3f6d3e10',
  closed_at: '2026-11-01T09:00:00.000Z',
  due_at: '2026-12-01T09:00:00.000Z',
} as const;

const route = routesOn<OrganizationDeletionDeps>();

/** Deletion of an organization (docs/guides/admin.md#delete-an-organization). */
export const organizationDeletionRoutes = [
  route({
    method: 'post',
    path: '/v1/organizations/{id}/deletion',
    id: 'delete_organization',
    summary:
      'Close your organization (`own`) once another person has approved it, and remove everything of it 30 days later; export it first',
    needs: 'principals.delete',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({ ...view, ...aloneMember }),
    mayWait: true,
    example,
    handle: async (deps, { caller, params }) => {
      const { organizationId } = caller;
      if (idOf(deps, caller, params.id) === undefined) return err(notFound);
      const narrow = organizationWide(caller, 'principals', 'delete');
      if (narrow !== undefined) return err(narrow);
      if (organizationId === deps.local.scope.organizationId) return err(ofDataFolder);
      const taken = await takeControl(deps, caller, { kind: 'delete_organization' });
      if ('answer' in taken) return taken.answer;
      return ok({ ...viewOf(organizationId, await deps.removals.find(organizationId)), ...aloneOf(taken) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/organizations/{id}/deletion',
    id: 'show_organization_deletion',
    summary: 'Whether an organization is closed and when it is removed, or what was removed; `own` is yours',
    needs: 'principals.read',
    takesAdminSecret: true,
    answer: deletion,
    example,
    handle: async (deps, { caller, params }) => {
      const id = idOf(deps, caller, params.id);
      const found = id === undefined ? undefined : await deps.removals.find(id);
      if (id === undefined || (found === undefined && (await deps.organizations.byId(id)) === undefined))
        return err(notFound);
      return ok(viewOf(id, found));
    },
  }),
  route({
    method: 'post',
    path: '/v1/organizations/{id}/deletion/keep',
    id: 'keep_organization',
    summary: 'Open a closed organization again, until its removal begins; `own` is yours',
    needs: 'principals.delete',
    takesAdminSecret: true,
    answer: deletion,
    example: { organization_id: example.organization_id, state: 'open' },
    handle: async (deps, { caller, params }) => keep(deps, caller, params.id),
  }),
];

async function keep(
  deps: OrganizationDeletionDeps,
  caller: AdminCaller,
  named: string,
): Promise<Result<View, AdminFailure>> {
  const id = idOf(deps, caller, named);
  if (id === undefined) return err(notFound);
  const narrow = caller === 'local' ? undefined : organizationWide(caller, 'principals', 'delete');
  if (narrow !== undefined) return err(narrow);
  const closed = await deps.removals.find(id);
  if (await deps.removals.keep({ organizationId: id })) {
    await deps.notices.add(
      { organizationId: id },
      {
        ...{ kind: 'organization.kept', objectKind: 'organization', objectId: id, data: {} },
        dedupeKey: `organization.kept:${id}:${closed?.closedAt ?? 0}`,
        at: deps.clock.now(),
      },
    );
    return ok(viewOf(id, undefined));
  }
  const found = await deps.removals.find(id);
  if (found === undefined && (await deps.organizations.byId(id)) === undefined) return err(notFound);
  const message =
    found === undefined
      ? 'The organization is not closed.'
      : 'Its removal has begun: what is gone cannot be brought back.';
  return err({ code: 'CONFLICT', message, field: 'id' });
}

function idOf(
  { local }: Pick<OrganizationDeletionDeps, 'local'>,
  caller: AdminCaller,
  named: string,
): string | undefined {
  const own = caller === 'local' ? local.scope.organizationId : caller.organizationId;
  const id = named === 'own' ? own : named.toLowerCase();
  return isUuid(id) && (caller === 'local' || id === own) ? id : undefined;
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No organization has this id.', field: 'id' };
const ofDataFolder: AdminFailure = {
  code: 'CONFLICT',
  message: 'This is the organization of the data folder: the server makes it again when it starts.',
  suggestion: 'Stop the server, and delete its data folder or its database.',
};

function viewOf(id: string, found: OrganizationDeletion | undefined): View {
  if (found === undefined) return { organization_id: id, state: 'open' };
  const { requestedBy, closedAt, dueAt, removal } = found;
  const ended = removal?.endedAt;
  return {
    organization_id: id,
    state: removal === undefined ? 'closed' : ended === undefined ? 'removing' : 'removed',
    requested_by: requestedBy,
    closed_at: isoOf(closedAt),
    ...(dueAt !== undefined && { due_at: isoOf(dueAt) }),
    ...(ended !== undefined && { removed_at: isoOf(ended) }),
    ...defined({ heads: removal && [...removal.heads], removed: removal?.removed }),
  };
}
