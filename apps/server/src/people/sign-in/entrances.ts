import type { AuditLog, OAuthStore, Organizations } from '@switchyard/store';
import {
  ownersOfAddress,
  type AddressDirectory,
  type IdentityDirectory,
  type Invitation,
  type Principal,
} from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { Invitations } from './invitations.js';
import type { Person } from './passkeys.js';
import type { ProviderRefusal, UpstreamPerson, UpstreamSettings } from './upstream-provider.js';

/**
 * Refusals beside the provider's. `ended`: not started by this browser, used or too old. `other_account`: the person is
 * linked to another account of the provider. `groups`: the provider did not name the groups of the person. `no_role`:
 * none of them gives a role, and the person is not known.
 */
export type UpstreamRefusal =
  | ProviderRefusal
  | 'ended'
  | 'unverified'
  | 'domain'
  | 'unknown'
  | 'other_account'
  | 'off'
  | 'groups'
  | 'no_role';

/** The most entrances of one page. */
const mostEntrances = 20;

/** An organization that the account of a provider can enter, and as whom. */
export interface Entrance {
  readonly id: string;
  readonly organizationId: string;
  readonly as: string;
  /** Of an invitation: the role that its new person gets. */
  readonly role?: string;
  readonly enter: () => Promise<Result<Person, UpstreamRefusal>>;
}

export interface EntrancesDeps {
  readonly settings: UpstreamSettings;
  readonly identities: Pick<IdentityDirectory, 'find' | 'of' | 'add'>;
  readonly addresses: Pick<AddressDirectory, 'holders' | 'owners' | 'prove'>;
  readonly invitations: Pick<Invitations, 'openFor' | 'acceptWith'>;
  readonly people: Pick<OAuthStore, 'person'>;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/**
 * Where an account can enter: `linked` says as whom it already does. Otherwise by an open invitation to its verified
 * address, then as whoever has proved that address, then as the person who is signed in beside it. An address whose
 * domain an organization has proved enters no other one.
 */
export async function entrancesOf(
  deps: EntrancesDeps,
  account: UpstreamPerson,
  signedIn: Person | undefined,
): Promise<Result<{ readonly isLinked: boolean; readonly entrances: readonly Entrance[] }, UpstreamRefusal>> {
  const { settings, identities, addresses, invitations, clock } = deps;
  const { issuer, subject, email } = account;
  const owners = email === undefined ? undefined : await ownersOfAddress(addresses, email);
  const isAllowed = ({ organizationId }: { readonly organizationId: string }): boolean =>
    owners?.has(organizationId) !== false;
  const linked = await identities.find('sign_in', issuer, [subject]);
  const live = linked.filter(({ disabledAt }) => disabledAt === undefined || disabledAt > clock.now());
  const known = live.filter(({ principal }) => isAllowed(principal));
  if (known.length > 0)
    return ok({ isLinked: true, entrances: known.map(({ principal }) => again(deps, principal, account)) });

  const isForeign =
    settings.domains !== undefined && !settings.domains.includes(email?.split('@').at(-1) ?? '');
  if (email === undefined && (signedIn === undefined || isForeign)) return err('unverified');
  if (isForeign) return err('domain');
  const invited = email === undefined ? [] : (await invitations.openFor(email)).filter(isAllowed);
  const holders = email === undefined ? [] : (await addresses.holders(email)).filter(isAllowed);
  const persons = signedIn !== undefined && isAllowed(signedIn) ? [...holders, signedIn] : holders;
  const ids = new Set<string>();
  const once = persons.filter(({ principalId }) => !ids.has(principalId) && ids.add(principalId));
  const byPerson = await Promise.all(
    once.slice(0, mostEntrances).map((person) => linkTo(deps, person, account)),
  );
  const free = byPerson.filter((entrance) => entrance !== undefined);
  const entrances = [...invited.map((invitation) => acceptance(deps, invitation, account)), ...free];
  if (entrances.length > 0) return ok({ isLinked: false, entrances: entrances.slice(0, mostEntrances) });
  if (byPerson.length > 0) return err('other_account');
  return err(linked.length > live.length ? 'off' : 'unknown');
}

function again(deps: EntrancesDeps, principal: Principal, { email }: UpstreamPerson): Entrance {
  const { organizationId, id: principalId } = principal;
  const person = { organizationId, principalId };
  const enter = async (): Promise<Result<Person, UpstreamRefusal>> => {
    await proveAddress(deps, person, email);
    return ok(person);
  };
  return { id: `person:${principalId}`, organizationId, as: principal.name, enter };
}

/** From then on the account identifies the person, even if its address changes. */
async function linkTo(
  deps: EntrancesDeps,
  { organizationId, principalId }: Person,
  { issuer, subject, email }: UpstreamPerson,
): Promise<Entrance | undefined> {
  const { identities, people, clock, newId } = deps;
  const person = { organizationId, principalId };
  const principal = await people.person({ organizationId }, principalId, clock.now());
  const links = await identities.of(person, principalId, 'sign_in');
  // If the provider gives an address to another account, that account does not get the person.
  if (principal === undefined || links.some((link) => link.issuer === issuer)) return undefined;
  const enter = (): Promise<Result<Person, UpstreamRefusal>> => {
    const at = clock.now();
    const name = { issuer, subject };
    const identity = {
      id: newId(),
      principalId,
      kind: 'sign_in' as const,
      ...name,
      createdAt: at,
      provedAt: at,
    };
    const act = {
      actorId: principalId,
      actorName: principal.name,
      action: 'link_provider',
      objectKind: 'principal',
      objectId: principalId,
      objectName: principal.name,
      detail: { ...name, identity_id: identity.id },
    };
    return recorded(deps, organizationId, act, async () => {
      if (!(await identities.add(person, identity))) return undefined;
      await proveAddress(deps, person, email);
      return person;
    });
  };
  return { id: `person:${principalId}`, organizationId, as: principal.name, enter };
}

function acceptance(
  deps: EntrancesDeps,
  invitation: Invitation,
  { issuer, subject }: UpstreamPerson,
): Entrance {
  const { id, organizationId, email, role } = invitation;
  const act = {
    actorName: email,
    action: 'accept_invitation',
    objectKind: 'invitation',
    objectId: id,
    detail: { issuer, subject },
  };
  const accept = (): Promise<Person | undefined> =>
    deps.invitations.acceptWith(invitation, { issuer, subject });
  const enter = (): Promise<Result<Person, UpstreamRefusal>> => recorded(deps, organizationId, act, accept);
  return { id: `invitation:${id}`, organizationId, as: email, role, enter };
}

async function proveAddress(
  { addresses, clock }: EntrancesDeps,
  { organizationId, principalId }: Person,
  email: string | undefined,
): Promise<void> {
  if (email === undefined) return;
  await addresses.prove({ organizationId }, { principalId, email, by: 'provider', at: clock.now() });
}

/** As for admin acts: the row is written before the act. */
export async function recorded(
  { audit, clock }: Pick<EntrancesDeps, 'audit' | 'clock'>,
  organizationId: string,
  act: Omit<Parameters<AuditLog['begin']>[1], 'at'>,
  run: () => Promise<Person | undefined>,
): Promise<Result<Person, UpstreamRefusal>> {
  const id = await audit.begin({ organizationId }, { ...act, at: clock.now() });
  const person = await run();
  const outcome = person === undefined ? 'refused' : 'ok';
  await audit.end({ organizationId }, id, { outcome, endedAt: clock.now() });
  return person === undefined ? err('off') : ok(person);
}
