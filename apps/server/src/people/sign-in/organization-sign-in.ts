import { createHash, randomBytes } from 'node:crypto';
import type { Organizations, ScimDirectory } from '@switchyard/store';
import type { Egress } from '@switchyard/sellers';
import {
  isOfDomains,
  ownersOfAddress,
  rolesOfGroups,
  roleKey,
  type PlacedRole,
  type PrincipalDirectory,
  type SignInProvider,
  type SignInProviders,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, isUuid, ok, type Result, type Secret } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';
import { recorded, type EntrancesDeps, type UpstreamRefusal } from './entrances.js';
import { nameOf } from './invitations.js';
import type { Person } from './passkeys.js';
import type { Steps } from './steps.js';
import {
  createUpstreamProvider,
  type UpstreamPerson,
  type UpstreamProvider,
  type UpstreamSettings,
} from './upstream-provider.js';
import { upstreamMs } from './upstream-sign-in.js';

/** Which organization somebody wants to enter: its id or short name, or the owner of the domain of an address. */
export interface WantedOrganization {
  readonly organization?: string;
  readonly email?: string;
}

/** Signing people in with the OpenID Connect provider of their organization. */
export interface OrganizationSignIn {
  /**
   * The address to open; undefined if no organization with a provider is meant. `browser` is a secret that this
   * browser holds until it returns.
   */
  begin(
    wanted: WantedOrganization,
    next: string,
    browser: string,
  ): Promise<Result<URL, UpstreamRefusal> | undefined>;
  /** The person who returned to the address of an organization, and the path to open. The answer is valid once. */
  finish(
    organizationId: string,
    answer: URLSearchParams,
    browser: string,
  ): Promise<{ readonly next?: string; readonly signedIn: Result<Person, UpstreamRefusal> }>;
}

export interface OrganizationSignInDeps extends Omit<
  EntrancesDeps,
  'settings' | 'invitations' | 'organizations'
> {
  readonly scim: Pick<ScimDirectory, 'userByEmail'>;
  readonly providers: Pick<SignInProviders, 'of' | 'settleRoles'>;
  readonly principals: Pick<PrincipalDirectory, 'enrol'>;
  readonly organizations: Pick<Organizations, 'byId' | 'bySlug'>;
  readonly vault: Pick<Vault, 'withSecret'>;
  readonly egress: Pick<Egress, 'fetchLike'>;
  readonly steps: Steps;
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** The public address, without a trailing slash. Known once we listen. */
  readonly url: () => string;
}

/** Each organization has an address of its own: an answer of one provider is never read as that of another (RFC 9700, 4.4). */
export const callbackOf = (url: string, organizationId: string): string =>
  `${url}/sign-in/oidc/callback/${organizationId}`;

export function createOrganizationSignIn(deps: OrganizationSignInDeps): OrganizationSignIn {
  const { steps, providers, url } = deps;
  return {
    begin: async (wanted, next, browser) => {
      const found = await providerFor(deps, wanted);
      if (found === undefined) return undefined;
      const { organizationId, provider } = found;
      const [nonce, verifier] = [newSecret(), newSecret()];
      const about = { next, browser: hashOf(browser), nonce, verifier, organization: organizationId };
      const { text: state } = await steps.start('OrganizationSignIn', about, upstreamMs);
      const upstream = upstreamOf(deps, provider);
      return upstream.authorize({ state, nonce, verifier }, callbackOf(url(), organizationId));
    },
    finish: async (organizationId, answer, browser) => {
      const state = answer.get('state') ?? '';
      const found = await steps.find('OrganizationSignIn', state);
      const isOwn = found?.['browser'] === hashOf(browser) && found['organization'] === organizationId;
      const about = isOwn ? await steps.take('OrganizationSignIn', state) : undefined;
      if (about === undefined) return { signedIn: err('ended') };
      const { next, nonce, verifier } = about as Record<'next' | 'nonce' | 'verifier', string>;
      const scope = { organizationId };
      const provider = await providers.of(scope);
      if (provider === undefined) return { next, signedIn: err('ended') };
      const back = new URL(`?${answer.toString()}`, callbackOf(url(), organizationId));
      const vouched = await withProvider(deps, scope, provider, (upstream) =>
        upstream.exchange(back, { state, nonce, verifier }),
      );
      if (!vouched.ok) return { next, signedIn: vouched };
      return { next, signedIn: await arrive(deps, scope, provider, vouched.value) };
    },
  };
}

async function providerFor(
  { organizations, addresses, providers }: OrganizationSignInDeps,
  { organization, email }: WantedOrganization,
): Promise<{ readonly organizationId: string; readonly provider: SignInProvider } | undefined> {
  const named =
    organization === undefined
      ? undefined
      : isUuid(organization)
        ? await organizations.byId(organization.toLowerCase())
        : await organizations.bySlug(organization);
  const owners = email === undefined ? undefined : await ownersOfAddress(addresses, email.toLowerCase());
  for (const organizationId of named === undefined ? [...(owners ?? [])] : [named.id]) {
    const provider = await providers.of({ organizationId });
    if (provider === undefined) continue;
    if (email === undefined || isOfDomains(email, provider.domains)) return { organizationId, provider };
  }
  return undefined;
}

function upstreamOf(
  { egress, clock, onUnexpected }: OrganizationSignInDeps,
  provider: SignInProvider,
  clientSecret?: Secret,
): UpstreamProvider {
  const { issuer, clientId, name, domains, trustsEmail, groupsClaim, extraScopes } = provider;
  const settings: UpstreamSettings = {
    ...{ issuer, clientId, name, domains, trustsEmail, groupsClaim, extraScopes },
    ...(clientSecret && { clientSecret }),
  };
  return createUpstreamProvider({ settings, egress, clock, onUnexpected });
}

/** The secret is open only while the answer is exchanged. */
async function withProvider<T>(
  deps: OrganizationSignInDeps,
  scope: TenantScope,
  provider: SignInProvider,
  use: (upstream: UpstreamProvider) => Promise<Result<T, UpstreamRefusal>>,
): Promise<Result<T, UpstreamRefusal>> {
  const { credentialId, issuer } = provider;
  if (credentialId === undefined) return use(upstreamOf(deps, provider));
  const opened = await deps.vault.withSecret(
    scope,
    { credentialId, kind: 'sign_in_client', destination: destinationOf(issuer) },
    { purpose: 'sign_in', actor: 'sign-in' },
    (secret) => use(upstreamOf(deps, provider, secret)),
  );
  return opened.ok ? opened.value : err('unreachable');
}

/** As whoever the account is linked to, or has proved its address here; otherwise as a new person, if a group gives a role. */
async function arrive(
  deps: OrganizationSignInDeps,
  scope: TenantScope,
  provider: SignInProvider,
  account: UpstreamPerson,
): Promise<Result<Person, UpstreamRefusal>> {
  const { issuer, subject, email, groups } = account;
  if (email !== undefined && !isOfDomains(email, provider.domains)) return err('domain');
  // Without the groups nobody knows which roles are lost.
  if (groups === 'unsaid' && provider.groups.length > 0) return err('groups');
  const roles = rolesOfGroups(provider.groups, groups === 'unsaid' ? [] : (groups ?? []));
  const linked = (await deps.identities.find('sign_in', issuer, [subject])).filter(
    ({ principal }) => principal.organizationId === scope.organizationId,
  );
  const now = deps.clock.now();
  const [live] = linked.filter(({ disabledAt }) => disabledAt === undefined || disabledAt > now);
  if (live === undefined && linked.length > 0) return err('off');
  const person =
    live === undefined
      ? await entered(deps, scope, { account, roles })
      : ok({ id: live.principal.id, name: live.principal.name });
  if (!person.ok) return person;
  await settle(deps, scope, person.value, roles);
  if (
    email !== undefined &&
    (await ownersOfAddress(deps.addresses, email))?.has(scope.organizationId) === true
  )
    await deps.addresses.prove(scope, { principalId: person.value.id, email, by: 'provider', at: now });
  return ok({ organizationId: scope.organizationId, principalId: person.value.id });
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Newcomer {
  readonly account: UpstreamPerson;
  readonly roles: readonly PlacedRole[];
}

/** Links the account to the person with its address, or makes a person. */
async function entered(
  deps: OrganizationSignInDeps,
  scope: TenantScope,
  { account, roles }: Newcomer,
): Promise<Result<Named, UpstreamRefusal>> {
  const { issuer, subject, email } = account;
  if (email === undefined) return err('unverified');
  const at = deps.clock.now();
  const here = (await deps.addresses.holders(email)).filter(
    ({ organizationId }) => organizationId === scope.organizationId,
  );
  const holder = here[0]?.principalId ?? (await deps.scim.userByEmail(scope, email));
  const known = holder === undefined ? undefined : await deps.people.person(scope, holder, at);
  if (holder !== undefined && known === undefined) return err('off');
  const person = known ?? { id: deps.newId(), name: nameOf(email) };
  if (known === undefined && roles.length === 0) return err('no_role');
  if (known !== undefined) {
    const links = await deps.identities.of(scope, known.id, 'sign_in');
    // If the provider gives an address to another account, that account does not get the person.
    if (links.some((link) => link.issuer === issuer)) return err('other_account');
  }
  const identity = {
    ...{ id: deps.newId(), principalId: person.id, kind: 'sign_in' as const, issuer, subject },
    ...{ createdAt: at, provedAt: at },
  };
  const names = [person.name, `${person.name}-${randomBytes(3).toString('hex')}`];
  let made = person;
  const act = {
    actorName: email,
    action: known === undefined ? 'enter_by_provider' : 'link_provider',
    objectKind: 'principal',
    objectId: person.id,
    objectName: person.name,
    detail: { issuer, subject, identity_id: identity.id },
  };
  const done = await recorded(deps, scope.organizationId, act, async () => {
    const as = { organizationId: scope.organizationId, principalId: person.id };
    if (known !== undefined) return (await deps.identities.add(scope, identity)) ? as : undefined;
    for (const name of names) {
      const principal = newPerson(scope, person.id, name);
      made = { id: person.id, name };
      if (await deps.principals.enrol(scope, { principal, identity }, at)) return as;
    }
    return undefined;
  });
  return done.ok ? ok(made) : done;
}

/** Its permissions come from its roles alone. */
const newPerson = ({ organizationId }: TenantScope, id: string, name: string) => ({
  ...{ id, organizationId, name, kind: 'person' as const, permissions: {} },
  ...{ transitional: true, legacy: false },
});

/** Changes of roles are acts of the provider in the audit; a sign-in that changes none leaves no row. */
async function settle(
  { providers, audit, clock }: OrganizationSignInDeps,
  scope: TenantScope,
  { id, name }: Named,
  roles: readonly PlacedRole[],
): Promise<void> {
  const { added, removed, kept } = await providers.settleRoles(scope, id, roles, clock.now());
  if (added.length + removed.length + kept.length === 0) return;
  const texts = (of: readonly PlacedRole[]) => of.map(roleKey);
  const act = {
    actorName: 'sign-in provider',
    action: 'settle_roles',
    objectKind: 'principal',
    objectId: id,
    objectName: name,
    detail: { added: texts(added), removed: texts(removed), kept_as_last_admin: texts(kept) },
  };
  const row = await audit.begin(scope, { ...act, at: clock.now() });
  const outcome = kept.length === 0 ? 'ok' : 'refused';
  await audit.end(scope, row, {
    outcome,
    endedAt: clock.now(),
    ...(kept.length > 0 && { code: 'LAST_ADMIN' }),
  });
}

const newSecret = (): string => randomBytes(32).toString('base64url');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
