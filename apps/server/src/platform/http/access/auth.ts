import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import {
  admitToken,
  authorize,
  hashPair,
  hashToken,
  isTokenText,
  programPermissions,
  withFewerPermissions,
  type NamedPrincipal,
  type Principal,
} from '@switchyard/tenancy';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import { needsRecentSignIn, notRecent } from '../../routes/recent-sign-in.js';
import type { Route } from '../../routes/route.js';
import { permissionRefusal } from '../../caller/permission-refusal.js';
import { principalCaller } from '../../caller/principal-caller.js';
import { rateKeyOf } from '../../caller/rate-limits.js';
import type { Caller, PrincipalCaller } from '../../tasks/call/task-call.js';
import { turnBelongsTo } from '../admit.js';
import { certificateNames, readAuthorization, type PresentedSecret } from './shown-credentials.js';
import { rateLimited, refusal, type HttpAnswer } from '../http-answer.js';
import type { HttpContext } from '../http-context.js';
import { headerValues } from '../raw-headers.js';
import { handedOver } from './handed-over.js';
import type { Session } from './session.js';
import { signatureRefused, verifyRequestSignature } from './verify-signature.js';

interface AuthenticateOptions {
  readonly aliases: boolean;
  /** Whether the cookie of a session is a credential here: only at REST. */
  readonly sessions?: boolean;
  /** Whether a session is admitted whose person must set up a second factor first. */
  readonly admitsFactorDue?: boolean;
  /** Whether a caller is admitted whose organization is closed before its deletion. */
  readonly admitsClosed?: boolean;
  /** True at the relay: its signature headers are meant for a seller and do not identify the caller. */
  readonly signaturesAreForSeller?: boolean;
}

/**
 * Identifies the caller, from the transport alone and for this one request.
 *
 * Nobody is downgraded: an invalid credential is refused, even if none was needed, and several credentials must belong
 * to one principal. Signature headers come in pairs, and half a pair is refused before anything else, so that removing
 * one cannot turn a signed request into an unsigned one.
 */
export async function authenticate(
  request: FastifyRequest,
  http: AuthContext,
  options: AuthenticateOptions = { aliases: false },
): Promise<Result<Caller, HttpAnswer>> {
  const found = await identify(request, http, options);
  if (found.ok && options.admitsClosed !== true)
    if (await http.isStopped(found.value.organizationId, 'organization', '')) return err(organizationClosed);
  if (found.ok && found.value.kind === 'principal') {
    const { organizationId, principalId } = found.value;
    if (await http.isStopped(organizationId, 'principal', principalId)) return err(principalStopped());
    if (found.value.factorDue === true && options.admitsFactorDue !== true) return err(factorMissing);
  }
  if (found.ok) {
    turnBelongsTo(request, rateKeyOf(found.value));
    return found;
  }
  // Limits guessing: after too many invalid credentials the answer no longer says what is wrong with them.
  const wait = http.rates.take(`address:${http.addressOf(request)}`, 'failure');
  return wait === undefined ? found : err(rateLimited(wait));
}

/**
 * Whether the credential that opened a stream is still valid: tokens expire, sessions end, programs are revoked. A
 * signature is valid for one request and is not verified again.
 */
export async function stillHolds(
  request: FastifyRequest,
  http: AuthContext,
  options: AuthenticateOptions,
  { principalId, signedBy }: PrincipalCaller,
): Promise<boolean> {
  if (signedBy !== undefined) return true;
  const found = await identify(request, http, options);
  if (!found.ok || found.value.kind !== 'principal' || found.value.principalId !== principalId) return false;
  return !(await http.isStopped(found.value.organizationId, 'organization', ''));
}

async function identify(
  request: FastifyRequest,
  http: AuthContext,
  options: AuthenticateOptions,
): Promise<Result<Caller, HttpAnswer>> {
  const { rawHeaders } = request.raw;
  const ours = options.signaturesAreForSeller !== true;
  const signed = ours && headerValues(rawHeaders, 'signature').length > 0;
  const described = ours && headerValues(rawHeaders, 'signature-input').length > 0;
  if (signed !== described) {
    const why = 'Signature and Signature-Input must be sent together.';
    // Verified all the same: people can read its verdict.
    await verifyRequestSignature(request, http, undefined);
    return err(signatureRefused('request_signature_header_malformed', why));
  }
  const secret = readAuthorization(rawHeaders, options.aliases);
  if (!secret.ok) return err(credentialInvalid(secret.error));
  if (secret.value === undefined && options.sessions === true) {
    const session = await http.readSession(request);
    if (!session.ok) return err(session.error);
    // A browser has no signing key: a change needs the cookie and the header beside it.
    if (session.value !== undefined) return ok(sessionCaller(session.value));
  }
  const names = certificateNames(request, http.certificateProxies, http.clock.now());
  if (!names.ok) return err(credentialInvalid(names.error));

  const bySecret =
    secret.value === undefined ? ok(undefined) : await principalOf(secret.value, http, pathOf(request));
  if (!bySecret.ok) return err(credentialInvalid(bySecret.error));
  const isOurs = bySecret.value !== undefined && !isIssued(secret.value);
  const token = isOurs ? bySecret.value : undefined;
  const byName = names.value === undefined ? ok(undefined) : await certified(names.value, http, token);
  if (!byName.ok) return err(credentialInvalid(byName.error));
  const held = oneOf(bySecret.value, byName.value);
  if (!held.ok) return err(credentialInvalid(held.error));

  if (signed) return signedCaller(request, http, held.value, isOurs);
  if (held.value !== undefined) return ok(principalCaller(held.value));
  if (http.publicOrganizationId === undefined) return err(credentialMissing());
  const address = http.addressOf(request);
  return ok({ kind: 'public', organizationId: http.publicOrganizationId, address });
}

/** A session whose person must set up a second factor does that, and nothing else. */
const whileFactorDue = new Set(
  'show_me show_sign_in set_password begin_totp confirm_totp begin_passkey add_passkey show_again'.split(' '),
);

/** What a closed organization still answers: that it is, how it is opened again, and everything that it has. */
const whileClosed = new Set(
  'show_me show_organization_deletion keep_organization export_organization'.split(' '),
);

const organizationClosed = refusal({
  code: 'ACCOUNT_SUSPENDED',
  message: 'The organization is closed and will be deleted.',
  suggestion: 'Until then an admin opens it again with: switchyard organizations keep',
});

const factorMissing = refusal({
  code: 'SECOND_FACTOR_REQUIRED',
  message: 'Your organization demands a second factor of whoever has your permissions, and you have none.',
  suggestion: 'Set up codes of an app or a passkey under Your account. The rest opens then.',
});

function sessionCaller({ principal, token, recentUntil }: Session): PrincipalCaller {
  const isWhole = principal.kind === 'person' && token.permissions === undefined;
  return {
    ...principalCaller(principal),
    transitional: true,
    recentUntil,
    ...(token.factorDue === true && { factorDue: true }),
    ...(isWhole && { sessionId: token.id, signedInAt: token.authenticatedAt ?? token.createdAt }),
  };
}

type AuthContext = Pick<
  HttpContext,
  | 'principals'
  | 'grants'
  | 'identities'
  | 'issuedTokens'
  | 'accessTokens'
  | 'readSession'
  | 'publicOrganizationId'
  | 'clock'
  | 'signatures'
  | 'url'
  | 'rates'
  | 'addressOf'
  | 'certificateProxies'
  | 'isStopped'
>;

const pathOf = (request: FastifyRequest): string => (request.raw.url ?? '').split('?')[0] ?? '';

/** A token of an issuer, not one of ours. */
function isIssued(secret: PresentedSecret | undefined): secret is PresentedSecret & { scheme: 'bearer' } {
  return secret?.scheme === 'bearer' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(secret.token);
}

async function principalOf(
  secret: PresentedSecret,
  http: AuthContext,
  path: string,
): Promise<Result<Principal, string>> {
  if (isIssued(secret)) {
    if (http.accessTokens?.isOurs(secret.token) === true) return http.accessTokens.verify(secret.token, path);
    const issued = await http.issuedTokens.verify(secret.token);
    if (!issued.ok) return issued;
    return standingFor({ kind: 'jwt', issuer: issued.value.issuer, subjects: [issued.value.subject] }, http);
  }
  const text = secret.scheme === 'bearer' ? secret.token : secret.password;
  if (!isTokenText(text)) return err(refusals.unknown);
  const hash = secret.scheme === 'bearer' ? hashToken(text) : hashPair(secret.username, text);
  const admitted = admitToken(await http.principals.findByTokenHash(hash), http.clock.now());
  return admitted.ok ? admitted : err(refusals[admitted.error]);
}

function certified(
  names: readonly string[],
  http: AuthContext,
  token: Principal | undefined,
): Promise<Result<Principal, string>> {
  return standingFor({ kind: 'certificate', issuer: '', subjects: names }, http, token);
}

/**
 * The principal that an external name belongs to; none if it could be two.
 *
 * Several organizations may have registered one name. Our token beside it selects the organization, and proves the name
 * for that principal; without one it is the organization that proved the name, so that nobody takes a name by
 * registering it.
 */
async function standingFor(
  {
    kind,
    issuer,
    subjects,
  }: { readonly kind: 'jwt' | 'certificate'; readonly issuer: string; readonly subjects: readonly string[] },
  http: AuthContext,
  token?: Principal,
): Promise<Result<Principal, string>> {
  const found = await http.identities.find(kind, issuer, subjects);
  const [only, another] = deciding(found, token);
  if (only === undefined) return err('belongs to no registered principal');
  if (another !== undefined) return err('belongs to several principals');
  if (token?.id === only.principal.id && !only.isProved)
    await http.identities.prove(token, token.id, { kind, issuer, subjects }, http.clock.now());
  const isOff = only.disabledAt !== undefined && only.disabledAt <= http.clock.now();
  return isOff ? err(refusals.disabled) : ok(only.principal);
}

function deciding(found: readonly NamedPrincipal[], token: Principal | undefined): readonly NamedPrincipal[] {
  const beside = found.filter(({ principal }) => principal.organizationId === token?.organizationId);
  if (beside.length > 0) return beside;
  const organizations = new Set(found.map(({ principal }) => principal.organizationId));
  return organizations.size < 2 ? found : found.filter(({ isProved }) => isProved);
}

/** Two credentials must belong to one principal, and together they have the permissions of the weaker one. */
function oneOf(
  one: Principal | undefined,
  other: Principal | undefined,
): Result<Principal | undefined, string> {
  if (one === undefined || other === undefined) return ok(one ?? other);
  if (one.id !== other.id) return err('belongs to another principal than the certificate');
  return ok(withFewerPermissions(one, other.permissions));
}

/** A signature must be valid, and belong to the principal of the credential beside it. */
async function signedCaller(
  request: FastifyRequest,
  http: AuthContext,
  held: Principal | undefined,
  byToken: boolean,
): Promise<Result<Caller, HttpAnswer>> {
  const found = await verifyRequestSignature(
    request,
    http,
    held === undefined ? undefined : { ...principalCaller(held), byToken },
  );
  if (!found.ok) return found;
  const { principal, signedBy } = found.value;
  // A signature identifies the principal; the permissions of a token beside it still limit the caller.
  return ok({ ...(held === undefined ? principal : principalCaller(held)), signedBy });
}

/**
 * Admits a principal that has one permission, and counts its request. A program is refused what only a person does:
 * what `byPerson` says, and what no scope gives.
 */
export async function authorizePermission(
  request: FastifyRequest,
  http: AuthContext,
  row: Pick<Route<unknown>, 'needs' | 'id' | 'byPerson'>,
): Promise<Result<PrincipalCaller, HttpAnswer>> {
  const { needs, id } = row;
  const admitsFactorDue = whileFactorDue.has(id);
  const admitsClosed = whileClosed.has(id);
  const handed = handedOver(request);
  if (handed !== undefined) turnBelongsTo(request, rateKeyOf(handed));
  const caller =
    handed === undefined
      ? await authenticate(request, http, { aliases: false, sessions: true, admitsFactorDue, admitsClosed })
      : ok(handed);
  if (!caller.ok) return caller;
  if (caller.value.kind === 'public') return err(credentialMissing());
  const isOwn = needs === 'a_credential' || needs === 'own_session';
  const isRead = isOwn ? request.method === 'GET' : needs.endsWith('.read');
  const why = refusedTo(caller.value, row);
  if (why === 'person') return err(personRequired);
  if (why === 'session') return err(noSession);
  if (why !== undefined) return err(refusal(await permissionRefusal(http.grants, caller.value, why)));
  const { recentUntil } = caller.value;
  if (recentUntil !== undefined && recentUntil < http.clock.now() && needsRecentSignIn(id))
    return err(refusal(notRecent));
  const wait = http.rates.take(rateKeyOf(caller.value), isRead ? 'read' : 'write');
  return wait === undefined ? ok(caller.value) : err(rateLimited(wait));
}

/** Why a principal may not call a route at all: the one rule of the routes and of the tools made of them. */
export function refusedTo(
  caller: PrincipalCaller,
  { needs, byPerson }: Pick<Route<unknown>, 'needs' | 'byPerson'>,
): 'person' | 'session' | { readonly area: PermissionArea; readonly permission: PermissionKind } | undefined {
  if (caller.program !== undefined && (byPerson === true || isForPersons(needs))) return 'person';
  if (needs === 'own_session') return caller.sessionId === undefined ? 'session' : undefined;
  if (needs === 'a_credential') return undefined;
  const [area, permission] = needs.split('.') as [PermissionArea, PermissionKind];
  return authorize(caller, { access: 'credentials', area, permission }).ok ? undefined : { area, permission };
}

function isForPersons(needs: Route<unknown>['needs']): boolean {
  if (needs === 'a_credential') return false;
  const [area, kind] = needs.split('.') as [PermissionArea, PermissionKind];
  return programPermissions[area]?.includes(kind) !== true;
}

/** For pages about the instance: admits callers on this machine, and callers who may read the instance's alarms. */
export async function authorizeInstancePage(
  request: FastifyRequest,
  http: AuthContext & Pick<HttpContext, 'fromThisMachine'>,
): Promise<HttpAnswer | undefined> {
  if (http.fromThisMachine(request)) return undefined;
  const caller = await authorizePermission(request, http, { needs: 'sellers.read', id: 'instance_page' });
  return caller.ok ? undefined : caller.error;
}

/** True for the holder of the data folder's admin secret. Compares hashes, in constant time. */
export function holdsAdminSecret(rawHeaders: readonly string[], secret: Secret | undefined): boolean {
  const shown = readAuthorization(rawHeaders, false);
  if (!secret || !shown.ok || shown.value?.scheme !== 'bearer') return false;
  return timingSafeEqual(
    hashToken(shown.value.token),
    secret.useText((text) => hashToken(text)),
  );
}

const challenge = 'Bearer realm="switchyard"';

export function credentialMissing(): HttpAnswer {
  return {
    status: 401,
    headers: { 'www-authenticate': challenge },
    body: { error: { code: 'AUTH_REQUIRED', message: 'This needs a credential: Authorization: Bearer.' } },
  };
}

function credentialInvalid(why: string): HttpAnswer {
  return {
    status: 401,
    headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
    body: { error: { code: 'AUTH_INVALID', message: `The credential ${why}.` } },
  };
}

const personRequired = refusal({
  code: 'PERSON_REQUIRED',
  message: 'A person does this: no program may do it for one.',
  suggestion: 'Do it in the console or on the command line, with a credential of your own.',
});

const noSession = refusal({
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'Only a person with a browser session can do this.',
  suggestion: 'Open the console and sign in: your account is there.',
});

function principalStopped(): HttpAnswer {
  return refusal({
    code: 'INSUFFICIENT_PERMISSIONS',
    message: 'An emergency stop is active for this principal: its requests are refused.',
    suggestion: 'A person with the permission principals.delete ends it with: switchyard start principal:ID',
  });
}

const refusals = {
  unknown: 'is not known',
  expired: 'has expired',
  revoked: 'was revoked',
  disabled: 'belongs to a disabled principal',
} as const;
