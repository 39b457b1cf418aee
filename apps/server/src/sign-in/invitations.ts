import { randomBytes } from 'node:crypto';
import {
  hashOfScheme,
  isTokenText,
  newToken,
  type Invitation,
  type InvitationRepository,
  type Principal,
} from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Person } from './passkeys.js';
import type { Passwords } from './passwords.js';

/** Invitations: an admin makes one, and whom it is for comes in by its link. No mail is sent. */
export interface Invitations {
  /** The secret of its link, which is shown this once. */
  invite(invitation: Invitation): Promise<string>;
  /** Comes in by the link, and signs in with this password from then on. Undefined: it is over, or the address is taken. */
  accept(secret: string, password: string): Promise<Person | undefined>;
}

export interface InvitationsDeps {
  readonly repository: InvitationRepository;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

export function createInvitations({ repository, passwords, clock, newId }: InvitationsDeps): Invitations {
  return {
    invite: async (invitation) => {
      const { text } = newToken(randomBytes(32));
      await repository.add(invitation, invitation, hashOfScheme('invitation', text));
      return text;
    },
    accept: async (secret, password) => {
      if (!isTokenText(secret)) return undefined;
      const [found] = await repository.open({ hash: hashOfScheme('invitation', secret) }, clock.now());
      const hash = found && (await passwords.hash(password));
      if (found === undefined || hash === undefined) return undefined;
      const { organizationId, email } = found;
      // The address is its name; where somebody has that name already, the address with something behind it.
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
        const newcomer = { principal, grant, password: { email, hash } };
        const how = await repository.accept(found, newcomer, clock.now());
        if (how === 'accepted') return { organizationId, principalId: principal.id };
        if (how === 'over') return undefined;
      }
      return undefined;
    },
  };
}

/** What it may do follows from its role alone. */
function personOf({ organizationId }: Invitation, id: string, name: string): Principal {
  return { id, organizationId, name, kind: 'person', permissions: {}, transitional: true, legacy: false };
}

/** An address as a name of ours: plain characters, 90 at most. */
const nameOf = (email: string): string =>
  email
    .replaceAll(/[^A-Za-z0-9 ._@-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 90) || 'person';
