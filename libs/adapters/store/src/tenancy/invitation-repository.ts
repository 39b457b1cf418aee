import type { Invitation, InvitationRepository } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';
import { isDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import type { invitationModel } from '../generated/models.js';
import { provedRow } from './address-directory.js';
import { grantRow } from './grant-directory.js';
import { identityRow } from './identity-directory.js';
import { principalRow, scopeOf } from './principal-row.js';
import { takeTurn } from '../core/take-turns.js';

/** Invitations of people in PostgreSQL. */
export function invitationRepository(store: Store): InvitationRepository {
  return {
    add: (scope, invitation, hash, invitedBy) =>
      store.inTenant(scope, async (client) => {
        const { organizationId } = client;
        const at = new Date(invitation.createdAt);
        // Of two concurrent invitations of one address, the later commit ends the earlier one.
        await takeTurn(client, 'invitation', invitation.email);
        const open = { withdrawn_at: null, accepted_at: null, expires_at: { gt: at } };
        const ended = await client.models.invitation.updateManyAndReturn({
          where: {
            ...{ organization_id: organizationId, email: invitation.email, ...open },
            ...(invitedBy !== undefined && { invited_by: invitedBy }),
          },
          data: { withdrawn_at: at },
          select: { id: true },
        });
        await client.models.invitation.create({
          data: {
            id: invitation.id,
            organization_id: organizationId,
            email: invitation.email,
            role: invitation.role,
            scope_kind: invitation.scope.kind,
            scope_id: 'id' in invitation.scope ? invitation.scope.id : '',
            token_hash: Uint8Array.from(hash),
            invited_by: invitation.invitedBy,
            created_at: at,
            expires_at: new Date(invitation.expiresAt),
          },
        });
        return ended.map(({ id }) => id);
      }),
    withdraw: (scope, id, at, invitedBy) =>
      store.inTenantModels(scope, async ({ invitation }) => {
        const { count } = await invitation.updateMany({
          where: {
            id,
            withdrawn_at: null,
            accepted_at: null,
            ...(invitedBy !== undefined && { invited_by: invitedBy }),
          },
          data: { withdrawn_at: new Date(at) },
        });
        return count > 0;
      }),
    open: async (by, at) => {
      const { rows } = await run<invitationModel>(store.pool, {
        name: 'open_invitations',
        text: 'select * from open_invitations($1, $2, $3)',
        values: ['hash' in by ? by.hash : null, 'email' in by ? by.email : null, new Date(at)],
      });
      return rows.map(invitationOf);
    },
    accept: async (invitation, { principal, grant, password, identity, provedBy: by }, at) => {
      const { organizationId } = invitation;
      try {
        return await store.inTenantModels({ organizationId }, async (models) => {
          const { count } = await models.invitation.updateMany({
            where: {
              id: invitation.id,
              withdrawn_at: null,
              accepted_at: null,
              expires_at: { gt: new Date(at) },
            },
            data: { accepted_at: new Date(at), principal_id: principal.id },
          });
          if (count === 0) return 'over';
          await models.principal.create({ data: principalRow(principal, new Date(at)) });
          await models.access_grant.create({ data: grantRow(organizationId, grant) });
          if (password !== undefined)
            await models.person_password.create({
              data: {
                principal_id: principal.id,
                organization_id: organizationId,
                ...password,
                changed_at: new Date(at),
              },
            });
          const proved = { principalId: principal.id, email: invitation.email, by, at };
          await models.proved_address.create({ data: provedRow(organizationId, proved) });
          if (identity !== undefined)
            await models.principal_identity.create({ data: identityRow(organizationId, identity) });
          return 'accepted';
        });
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        throw error;
      }
    },
  };
}

const readInvitation = rowReader<Omit<Invitation, 'scope'>>()(`
  id, organization_id, email, role, invited_by, created_at, expires_at, withdrawn_at, accepted_at, principal_id`);

function invitationOf(row: invitationModel): Invitation {
  return { ...readInvitation(row), scope: scopeOf(row.scope_kind, row.scope_id) };
}
