import type { AuditEntry, AuditLog } from '@switchyard/store';
import { defined, isoOf, ok, type SortKey } from '@switchyard/values';
import { z } from 'zod';
import { instant, jsonObject } from '../platform/routes/fields.js';
import { sortQuery, timeQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn, type Immutable } from '../platform/routes/route.js';

interface AuditDeps {
  readonly audit: Pick<AuditLog, 'list'>;
}

const filterText = z.string().min(1).max(200);

/** One entry: an act, or the use of a credential. */
const entry = z.strictObject({
  event_id: z.string(),
  kind: z.enum(['act', 'credential_use']),
  at: instant,
  actor: z
    .string()
    .describe('Name of the principal, or local for the holder of the data folder. Of a use: what used it.'),
  actor_id: z.string().exactOptional(),
  actor_held_by: z
    .array(z.string())
    .exactOptional()
    .describe('Principals that made the actor or were given a credential of it: they can act as it.'),
  action: z.string().describe('The operationId of the route. Of a use: its purpose.'),
  object_kind: z.string().exactOptional(),
  object_id: z.string().exactOptional(),
  object_name: z
    .string()
    .exactOptional()
    .describe(
      'As people call it, such as the number of an invoice; of a credential and of a difference, its seller.',
    ),
  outcome: z
    .enum(['begun', 'ok', 'refused', 'failed'])
    .exactOptional()
    .describe('Of an act. One that stays begun was cut off: whether it was done is unknown.'),
  code: z
    .string()
    .exactOptional()
    .describe(
      'Why it was refused. WAITS_FOR_APPROVAL: it is done once another person approves it. NOBODY_ELSE_COULD_APPROVE: ' +
        'it was done without one.',
    ),
  ended_at: instant.exactOptional(),
  request_id: z.string().exactOptional().describe('The X-Request-Id of the request.'),
  operation_id: z.string().exactOptional().describe('Of a use: the operation that it was for.'),
  credential_version: z.int().exactOptional(),
  detail: jsonObject
    .exactOptional()
    .describe('The request without its secrets; left_out names the members that are missing.'),
});
type AuditView = Immutable<z.output<typeof entry>>;

const route = routesOn<AuditDeps>();

/** Who did what, and which credential was used for what. Entries are never changed. */
export const auditRoutes = [
  route({
    method: 'get',
    path: '/v1/audit',
    id: 'list_audit',
    summary: 'Acts of administration and uses of credentials',
    needs: 'principals.read',
    query: z.strictObject({
      kind: entry.shape.kind.exactOptional(),
      ...timeQuery,
      actor: filterText.exactOptional().describe('Id or name of a principal, or what used a credential.'),
      object: filterText
        .exactOptional()
        .describe('Id or name of what an act was about; id or seller of a credential.'),
      action: filterText.exactOptional().describe('The operationId of a route, or a purpose.'),
      ...sortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ events: z.array(entry), next_cursor: nextCursor }),
    example: {
      events: [
        {
          event_id: 'act-42',
          kind: 'act',
          at: '2026-11-21T12:00:00.000Z',
          actor: 'ada',
          actor_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
          action: 'revoke_principal',
          object_kind: 'principal',
          object_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          object_name: 'nova',
          outcome: 'ok',
          ended_at: '2026-11-21T12:00:00.020Z',
          detail: { path: { name: 'nova' } },
        },
      ],
    },
    handle: async ({ audit }, { caller, query }) => {
      const { cursor: _cursor, limit: _limit, ...filter } = query;
      const page = await listPage(
        { id: 'list_audit', caller, query },
        ({ after, limit }) =>
          audit.list(
            { organizationId: caller.organizationId },
            { ...filter, limit, ...(after && { after: entryAt(after) }) },
          ),
        ({ at, kind, id }) => [at, kind, id],
      );
      return page.ok ? ok({ events: page.value.rows.map(viewOf), ...page.value.next }) : page;
    },
  }),
];

/** The last entry of the previous page, as the cursor names it. */
function entryAt([at, kind, id]: SortKey): Pick<AuditEntry, 'kind' | 'id' | 'at'> {
  return { at: Number(at), kind: kind === 'act' ? kind : 'credential_use', id: Number(id) };
}

function viewOf(auditEntry: AuditEntry): AuditView {
  const at = isoOf(auditEntry.at);
  if (auditEntry.kind === 'credential_use')
    return {
      event_id: `use-${auditEntry.id}`,
      kind: auditEntry.kind,
      at,
      actor: auditEntry.actor,
      action: auditEntry.purpose,
      object_kind: 'credential',
      object_id: auditEntry.credentialId,
      ...defined({ object_name: auditEntry.seller, operation_id: auditEntry.operationId }),
      credential_version: auditEntry.credentialVersion,
    };
  return {
    event_id: `act-${auditEntry.id}`,
    kind: auditEntry.kind,
    at,
    actor: auditEntry.actorName,
    ...(auditEntry.actorId !== undefined && { actor_id: auditEntry.actorId }),
    ...(auditEntry.actorHeldBy.length > 0 && { actor_held_by: [...auditEntry.actorHeldBy] }),
    action: auditEntry.action,
    ...defined({
      object_kind: auditEntry.objectKind,
      object_id: auditEntry.objectId,
      object_name: auditEntry.objectName,
    }),
    outcome: auditEntry.outcome,
    ...(auditEntry.code !== undefined && { code: auditEntry.code }),
    ...(auditEntry.endedAt !== undefined && { ended_at: isoOf(auditEntry.endedAt) }),
    ...(auditEntry.requestId !== undefined && { request_id: auditEntry.requestId }),
    detail: auditEntry.detail,
  };
}
