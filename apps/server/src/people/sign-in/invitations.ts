import { randomBytes } from 'node:crypto';
import {
  hashOfScheme,
  isTokenText,
  newToken,
  passwordFault,
  type GrantDirectory,
  type Invitation,
  type InvitationRepository,
  type InvitedPrincipal,
  type PasswordFault,
  type Principal,
  type PrincipalDirectory,
  type VouchedIdentity,
} from '@switchyard/tenancy';
import type { Organizations } from '@switchyard/store';
import type { Clock } from '@switchyard/values';
import { refuseGrant } from '../grants.routes.js';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import type { LinkSecrets } from './link-secrets.js';
import type { Person } from './passkeys.js';
import type { Passwords } from './passwords.js';

/** Invitations: an admin makes one, and the invited person accepts it by its link. */
export interface Invitations {
  /** Ends the open ones to its address: all, or those of one inviter. The link's secret is shown only this once. */
  invite(
    invitation: Invitation,
    invitedBy?: string,
  ): Promise<{ readonly secret: string; readonly ended: readonly string[] }>;
  /**
   * Accepts by the link and sets the password, which proves the address. Undefined if the invitation has ended, or if the
   * inviter was disabled or no longer holds what the invitation gives; `busy` if too many passwords are being hashed; a fault
   * if the password is too easy to guess.
   */
  accept(secret: string, password: string): Promise<Person | 'busy' | PasswordFault | undefined>;
  /** The open ones for an address, newest first, from every organization. */
  openFor(email: string): Promise<readonly Invitation[]>;
  /** The same as `accept` for a person of a provider, who signs in with that provider from then on. */
  acceptWith(
    invitation: Invitation,
    name: Pick<VouchedIdentity, 'issuer' | 'subject'>,
  ): Promise<Person | undefined>;
}

/** A word that no password may contain. */
export const productName = 'Switchyard';

interface InvitationsDeps {
  readonly repository: InvitationRepository;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly principals: Pick<PrincipalDirectory, 'record'>;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly grants: Pick<GrantDirectory, 'placeOf' | 'roles'>;
  /** Of mailed links. Without it, or while it has none, a link is random and is not mailed. */
  readonly secrets?: LinkSecrets;
  readonly clock: Clock;
  readonly newId: () => string;
}

export function createInvitations(deps: InvitationsDeps): Invitations {
  const { repository, passwords, clock, newId } = deps;
  const letIn = async (
    found: Invitation,
    wayIn: (principalId: string) => Pick<InvitedPrincipal, 'password' | 'identity' | 'provedBy'>,
  ): Promise<Person | undefined> => {
    const { organizationId, email } = found;
    if (!(await isStillGiven(deps, found))) return undefined;
    // The name is the address; if that name is taken, the address with a random suffix.
    for (const name of [nameOf(email), `${nameOf(email)}-${randomBytes(3).toString('hex')}`]) {
      const principal = personOf(found, newId(), name);
      const grant = {
        id: newId(),
        principalId: principal.id,
        role: found.role,
        scope: found.scope,
        grantedBy: found.invitedBy,
        createdAt: clock.now(),
      };
      const how = await repository.accept(found, { principal, grant, ...wayIn(principal.id) }, clock.now());
      if (how === 'accepted') return { organizationId, principalId: principal.id };
      if (how === 'over') return undefined;
    }
    return undefined;
  };
  return {
    invite: async (invitation, invitedBy) => {
      const derived = await deps.secrets?.of(invitation, `invitation ${invitation.id}`);
      const text = derived ?? newToken(randomBytes(32)).text;
      const hash = hashOfScheme('invitation', text);
      return { secret: text, ended: await repository.add(invitation, invitation, hash, invitedBy) };
    },
    accept: async (secret, password) => {
      if (!isTokenText(secret)) return undefined;
      const [found] = await repository.open({ hash: hashOfScheme('invitation', secret) }, clock.now());
      if (found === undefined) return undefined;
      const organization = await deps.organizations.byId(found.organizationId);
      const fault = passwordFault(password, [found.email, organization?.name ?? '', productName]);
      if (fault !== undefined) return fault;
      const hash = await passwords.hash(found.email, password);
      if (hash === undefined) return 'busy';
      return letIn(found, () => ({ provedBy: 'invitation', password: { email: found.email, hash } }));
    },
    openFor: (email) => repository.open({ email }, clock.now()),
    acceptWith: (invitation, name) =>
      letIn(invitation, (principalId) => {
        const at = clock.now();
        return {
          provedBy: 'provider',
          identity: { id: newId(), principalId, kind: 'sign_in', ...name, createdAt: at, provedAt: at },
        };
      }),
  };
}

/** An invitation is a grant that waits: it gives nothing that its inviter could not grant now. */
async function isStillGiven(
  { principals, grants }: Pick<InvitationsDeps, 'principals' | 'grants'>,
  invitation: Invitation,
): Promise<boolean> {
  const inviter = await principals.record(invitation, { id: invitation.invitedBy });
  if (inviter === undefined || inviter.disabledAt !== undefined) return false;
  return (await refuseGrant(grants, principalCaller(inviter.principal), invitation, 'role')) === undefined;
}

/** Its permissions come from its role alone. */
function personOf({ organizationId }: Invitation, id: string, name: string): Principal {
  return { id, organizationId, name, kind: 'person', permissions: {}, transitional: true, legacy: false };
}

/** An address as a principal's name: plain characters, 90 at most. */
export const nameOf = (email: string): string =>
  email
    .replaceAll(/[^A-Za-z0-9 ._@-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 90) || 'person';
