import type { AssistantAct } from '@switchyard/store';
import type { PrincipalDirectory } from '@switchyard/tenancy';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { defined, err, isJsonObject, isoOf, isUuid, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../failure.js';
import { refusedTo } from '../http/access/auth.js';
import { instant, jsonObject } from '../routes/fields.js';
import { organizationWide } from '../routes/list-filters.js';
import { routesOn, type AnyRoute, type Immutable } from '../routes/route.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import type { AskDeps } from './ask-person.js';

interface ActsDeps {
  readonly assistants: AskDeps & { readonly rowOf: (routeId: string) => AnyRoute | undefined };
  readonly principals: Pick<PrincipalDirectory, 'names'>;
}

const act = z
  .strictObject({
    act_id: z.string(),
    tool: z.string().describe('The route, by its id.'),
    summary: z.string(),
    arguments: jsonObject.describe('What the program asked for.'),
    state: z.enum(['open', 'confirmed', 'declined', 'done', 'over']),
    asked_by: z.string().describe('Name of the principal.'),
    created_at: instant,
    ends_at: instant.describe('Afterwards it is neither decided nor done any more.'),
    decided_at: instant.exactOptional(),
  })
  .meta({ id: 'assistant_act' });
type ActView = Immutable<z.output<typeof act>>;

const example = {
  act_id: '0c3a4f5e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  tool: 'approve_invoice',
  summary: 'Approve an invoice for payment',
  arguments: { id: '5f6b2c1e-0a55-4f0e-8c53-6c1b0f6a7d11' },
  state: 'open',
  asked_by: 'finance-assistant',
  created_at: '2026-11-21T12:00:00.000Z',
  ends_at: '2026-11-21T13:00:00.000Z',
} as const;

const route = routesOn<ActsDeps>();

/** Acts that assistants ask for, decided by a person in a browser (docs/guides/assistants.md#acts). */
export const actRoutes = [
  route({
    method: 'get',
    path: '/v1/me/acts/{id}',
    id: 'show_assistant_act',
    summary: 'An act that an assistant asks you to confirm',
    needs: 'own_session',
    answer: act,
    example,
    handle: async (deps, { caller, params: { id } }) => {
      const found = await seen(deps, caller, id);
      return found.ok ? ok(await viewOf(deps, caller, found.value)) : found;
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/acts/{id}/confirm',
    id: 'confirm_assistant_act',
    summary: 'Let an assistant do an act, once',
    needs: 'own_session',
    answer: act,
    example: { ...example, state: 'confirmed' },
    handle: (deps, { caller, params: { id } }) => decide(deps, caller, id, ['open'], 'confirmed'),
  }),
  route({
    method: 'post',
    path: '/v1/me/acts/{id}/decline',
    id: 'decline_assistant_act',
    summary: 'Do not let an assistant do an act, also after you confirmed it, until it is done',
    needs: 'own_session',
    answer: act,
    example: { ...example, state: 'declined' },
    handle: (deps, { caller, params: { id } }) => decide(deps, caller, id, ['open', 'confirmed'], 'declined'),
  }),
];

async function decide(
  deps: ActsDeps,
  caller: PrincipalCaller,
  id: string,
  from: readonly ('open' | 'confirmed')[],
  to: 'confirmed' | 'declined',
): Promise<Result<ActView, AdminFailure>> {
  const found = await seen(deps, caller, id);
  if (!found.ok) return found;
  const { acts, clock } = deps.assistants;
  const moved = await acts.move(caller, id, { from, to, by: caller.principalId, at: clock.now() });
  const now = await seen(deps, caller, id);
  if (!now.ok) return now;
  if (!moved && now.value.state !== to)
    return err({ code: 'CONFLICT', message: 'This act was decided, was done or is over.', field: 'id' });
  return ok(await viewOf(deps, caller, now.value));
}

/** The act, for the person that it is asked of: the one that the assistant works for, or who may do it itself. */
async function seen(
  { assistants }: ActsDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<AssistantAct, AdminFailure>> {
  const found = isUuid(id) ? await assistants.acts.find(caller, id) : undefined;
  if (found === undefined) return err(unknown);
  if (found.personId !== undefined) return found.personId === caller.principalId ? ok(found) : err(unknown);
  const row = assistants.rowOf(found.route);
  if (row === undefined || refusedTo(caller, row) !== undefined) return err(unknown);
  const [area, kind] = row.needs.split('.') as [PermissionArea, PermissionKind];
  const narrow = row.needs.includes('.') ? organizationWide(caller, area, kind) : undefined;
  return narrow === undefined ? ok(found) : err(narrow);
}

const unknown: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'You have no act with this id to confirm.',
  field: 'id',
};

async function viewOf(
  { assistants, principals }: ActsDeps,
  caller: PrincipalCaller,
  found: AssistantAct,
): Promise<ActView> {
  const { actId, principalId, state, createdAt, endsAt, decidedAt } = found;
  const names = await principals.names(caller, [principalId]);
  const isOver = endsAt <= assistants.clock.now() && (state === 'open' || state === 'confirmed');
  const args: unknown = JSON.parse(found.arguments);
  return {
    act_id: actId,
    tool: found.route,
    summary: assistants.rowOf(found.route)?.summary ?? found.route,
    arguments: isJsonObject(args) ? args : {},
    state: isOver ? 'over' : state,
    asked_by: names.get(principalId) ?? principalId,
    created_at: isoOf(createdAt),
    ends_at: isoOf(endsAt),
    ...defined({ decided_at: decidedAt === undefined ? undefined : isoOf(decidedAt) }),
  };
}
