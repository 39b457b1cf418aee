import { createHash, randomBytes } from 'node:crypto';
import type { AuditLog, OAuthStore } from '@switchyard/store';
import type { IdentityDirectory, Invitation } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { Invitations } from '../invitations.js';
import type { Person } from '../passkeys.js';
import type { Passwords } from '../passwords.js';
import type { Steps } from '../steps.js';
import type {
  ProviderRefusal,
  UpstreamPerson,
  UpstreamProvider,
  UpstreamSettings,
} from './upstream-provider.js';

/** How long a sign-in may stay at the provider, in milliseconds. */
export const upstreamMs = 10 * 60_000;

/** The callback path: fixed, and registered at the provider. */
const callbackPath = '/sign-in/oidc/callback';
/** The path after a sign-out at the provider: registered there too. */
const afterwards = '/console/';

/**
 * Refusals beside the provider's. `ended`: not started by this browser, used or too old. `other_account`: the person is
 * linked to another account of the provider. `several`: more than one organization has the address.
 */
type UpstreamRefusal =
  ProviderRefusal | 'ended' | 'unverified' | 'domain' | 'unknown' | 'other_account' | 'several' | 'off';

/** Signing people in with the OpenID Connect provider of the installation. */
export interface UpstreamSignIn {
  readonly name: string;
  /** The address to open. `browser` is a secret that this browser holds until it returns. */
  begin(next: string, browser: string): Promise<Result<URL, ProviderRefusal>>;
  /** The person who returned, and the path to open. The answer is valid once, in the browser that started. */
  finish(
    answer: URLSearchParams,
    browser: string,
  ): Promise<{ readonly next?: string; readonly signedIn: Result<Person, UpstreamRefusal> }>;
  /** The address where a sign-out continues at the provider; undefined if it offers none. */
  leave(): Promise<URL | undefined>;
}

interface UpstreamSignInDeps {
  readonly settings: UpstreamSettings;
  readonly provider: UpstreamProvider;
  readonly steps: Steps;
  readonly identities: Pick<IdentityDirectory, 'find' | 'of' | 'add'>;
  readonly passwords: Pick<Passwords, 'holder'>;
  readonly invitations: Pick<Invitations, 'openFor' | 'acceptWith'>;
  readonly people: Pick<OAuthStore, 'person'>;
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The public address, without a trailing slash. Known once we listen. */
  readonly url: () => string;
}

export function createUpstreamSignIn(deps: UpstreamSignInDeps): UpstreamSignIn {
  const { settings, provider, steps, url } = deps;
  const redirectUri = (): string => `${url()}${callbackPath}`;
  return {
    name: settings.name,
    begin: async (next, browser) => {
      const [nonce, verifier] = [newSecret(), newSecret()];
      const about = { next, browser: hashOf(browser), nonce, verifier };
      const { text: state } = await steps.start('ProviderSignIn', about, upstreamMs);
      return provider.authorize({ state, nonce, verifier }, redirectUri());
    },
    finish: async (answer, browser) => {
      const state = answer.get('state') ?? '';
      const found = await steps.find('ProviderSignIn', state);
      if (found?.['browser'] !== hashOf(browser)) return { signedIn: err('ended') };
      const about = await steps.take('ProviderSignIn', state);
      if (about === undefined) return { signedIn: err('ended') };
      const { next, nonce, verifier } = about as Record<'next' | 'nonce' | 'verifier', string>;
      const vouched = await provider.exchange(new URL(`?${answer.toString()}`, redirectUri()), {
        state,
        nonce,
        verifier,
      });
      return { next, signedIn: vouched.ok ? await personOf(deps, vouched.value) : vouched };
    },
    leave: () => provider.endSession(`${url()}${afterwards}`),
  };
}

/** The person of a provider's account: linked to it, or with its verified address, or invited by it. */
async function personOf(
  deps: UpstreamSignInDeps,
  { issuer, subject, email }: UpstreamPerson,
): Promise<Result<Person, UpstreamRefusal>> {
  const { settings, identities, passwords, invitations, clock } = deps;
  const linked = await identities.find('sign_in', issuer, [subject]);
  const live = linked.filter(({ disabledAt }) => disabledAt === undefined || disabledAt > clock.now());
  if (live.length > 1) return err('several');
  for (const { principal } of live)
    return ok({ organizationId: principal.organizationId, principalId: principal.id });
  if (email === undefined) return err('unverified');
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (settings.domains?.includes(domain) === false) return err('domain');
  const holder = await passwords.holder(email);
  const invited = await invitations.openFor(email);
  const places = [...invited, ...(holder ? [holder] : [])].map(({ organizationId }) => organizationId);
  if (new Set(places).size > 1) return err('several');
  if (holder !== undefined) return link(deps, holder, { issuer, subject });
  const [invitation] = invited;
  if (invitation === undefined) return err(linked.length > 0 ? 'off' : 'unknown');
  return accept(deps, invitation, { issuer, subject });
}

/** From now on the account identifies the person, even if its address changes. */
async function link(
  deps: UpstreamSignInDeps,
  person: Person,
  name: Pick<UpstreamPerson, 'issuer' | 'subject'>,
): Promise<Result<Person, UpstreamRefusal>> {
  const { identities, people, clock, newId } = deps;
  const { organizationId, principalId } = person;
  const principal = await people.person({ organizationId }, principalId, clock.now());
  if (principal === undefined) return err('off');
  const links = await identities.of(person, principalId, 'sign_in');
  // If the provider gives an address to another account, that account does not get the person.
  if (links.some(({ issuer }) => issuer === name.issuer)) return err('other_account');
  const at = clock.now();
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
  };
  return recorded(deps, person, { ...act, detail: { ...name, identity_id: identity.id } }, async () =>
    (await identities.add(person, identity)) ? person : undefined,
  );
}

const accept = (
  deps: UpstreamSignInDeps,
  invitation: Invitation,
  name: Pick<UpstreamPerson, 'issuer' | 'subject'>,
): Promise<Result<Person, UpstreamRefusal>> =>
  recorded(
    deps,
    invitation,
    {
      actorName: invitation.email,
      action: 'accept_invitation',
      objectKind: 'invitation',
      objectId: invitation.id,
      detail: { ...name },
    },
    () => deps.invitations.acceptWith(invitation, name),
  );

/** As for admin acts: the row is written before the act. */
async function recorded(
  { audit, clock }: UpstreamSignInDeps,
  { organizationId }: { readonly organizationId: string },
  act: Omit<Parameters<AuditLog['begin']>[1], 'at'>,
  run: () => Promise<Person | undefined>,
): Promise<Result<Person, UpstreamRefusal>> {
  const id = await audit.begin({ organizationId }, { ...act, at: clock.now() });
  const person = await run();
  const outcome = person === undefined ? 'refused' : 'ok';
  await audit.end({ organizationId }, id, { outcome, endedAt: clock.now() });
  return person === undefined ? err('off') : ok(person);
}

const newSecret = (): string => randomBytes(32).toString('base64url');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
