import type { ControlRequests } from '@switchyard/buys';
import type { PermissionKind } from '@switchyard/protocol';
import { lists } from '@switchyard/store';
import {
  reachOf,
  type GrantDirectory,
  type Invitation,
  type InvitationRepository,
} from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import type { Invitations } from './sign-in/invitations.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { aloneMember, aloneOf, refuseJoined } from '../platform/routes/control.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { draftGrant, grantRequest, placedGrant } from './grants.routes.js';
import { textOf } from './scope-text.js';

export interface InvitationsDeps extends ListDeps {
  readonly invitations: Pick<Invitations, 'invite'>;
  readonly invited: Pick<InvitationRepository, 'withdraw'>;
  readonly grants: GrantDirectory;
  readonly controls: Pick<ControlRequests, 'demandsAnother'>;
  readonly baseUrl: () => string;
  /** Whether a mail server is set. */
  readonly hasMail?: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
}

const example = {
  invitation_id: '7a0c1f4e-2f6d-4b1d-9d5a-0c5b8f1e2a77',
  email: 'ann@agency.example',
  role: 'trader',
  scope: 'brand:acme.example',
  state: 'open',
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: '2026-11-28T12:00:00.000Z',
} as const;

const { view: invitation, routes: listed } = resource(lists.invitationList, {
  noun: 'invitation',
  plural: 'invitations',
  area: 'principals',
  summary: 'Invitations',
  example,
});

const route = routesOn<InvitationsDeps>();

/** Invitations: whoever accepts one becomes a principal with its role. Nobody can give a role beyond their own. */
export const invitationRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/invitations',
    id: 'add_invitation',
    showsOnce: true,
    summary:
      'Invite somebody, with a role in a scope, and end the open invitations of yours to the same address; the link is mailed if the installation sends mail',
    needs: 'principals.write',
    body: z.strictObject({
      email: z.email().max(254),
      ...grantRequest.shape,
      ttl_seconds: z
        .int()
        .min(60)
        .max(30 * 24 * 3600)
        .default(7 * 24 * 3600),
    }),
    answer: z.strictObject({
      ...invitation.shape,
      link: z.string().describe('Shown this once. Whoever opens it chooses a password and comes in.'),
      ended: z
        .array(z.string())
        .exactOptional()
        .describe(
          'Ids of open invitations to the same address that this one has ended: their links let nobody in.',
        ),
      mailed: z.boolean().describe('False: send the link yourself.'),
      ...aloneMember,
    }),
    status: 201,
    handle: async (deps, { caller, body }) => {
      const { role, scope } = body;
      const draft = await draftGrant(deps, caller, { principalId: deps.newId(), role, scope }, '');
      if (!draft.ok) return draft;
      const held = await placedGrant(deps.grants, caller, draft.value);
      const joined = await refuseJoined(deps, caller, [held], 'role');
      if (!joined.ok) return joined;
      const now = deps.clock.now();
      const made: Invitation = {
        id: deps.newId(),
        organizationId: caller.organizationId,
        email: body.email.toLowerCase(),
        role: draft.value.role,
        scope: draft.value.scope,
        invitedBy: caller.principalId,
        createdAt: now,
        expiresAt: now + body.ttl_seconds * 1000,
      };
      const { invitedBy } = inviterOf(caller, 'write');
      const { secret, ended } = await deps.invitations.invite(made, invitedBy);
      // The secret is in the fragment (`#`), which no server and no log receives.
      return ok({
        ...viewOf(made),
        link: `${deps.baseUrl()}/console/#invitation=${secret}`,
        mailed: deps.hasMail === true,
        ...(ended.length > 0 && { ended }),
        ...aloneOf(joined.value),
      });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/invitations/{id}',
    id: 'withdraw_invitation',
    summary: 'Withdraw an open invitation',
    needs: 'principals.delete',
    answer: z.strictObject({ invitation_id: z.string(), withdrawn: z.literal(true) }),
    handle: async ({ invited, clock }, { caller, params: { id } }) => {
      const { invitedBy } = inviterOf(caller, 'delete');
      return isUuid(id) && (await invited.withdraw(caller, id, clock.now(), invitedBy))
        ? ok({ invitation_id: id, withdrawn: true as const })
        : err({ code: 'NOT_FOUND', message: 'There is no open invitation with this id.', field: 'id' });
    },
  }),
];

/** Which invitations a caller manages: all of them, or its own if it manages a part of the organization. */
function inviterOf(caller: PrincipalCaller, permission: PermissionKind): { readonly invitedBy?: string } {
  const { kind } = reachOf(caller, 'principals', permission);
  return kind === 'everything' ? {} : { invitedBy: caller.principalId };
}

/** An invitation that was just made. */
function viewOf(made: Invitation): z.output<typeof invitation> {
  return {
    invitation_id: made.id,
    email: made.email,
    role: made.role,
    scope: textOf(made.scope),
    state: 'open',
    created_at: isoOf(made.createdAt),
    expires_at: isoOf(made.expiresAt),
  };
}
