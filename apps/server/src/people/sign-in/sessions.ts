import type { EventFields } from '@switchyard/telemetry';
import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import {
  admitToken,
  defaultSignInPolicy,
  demandsSecondFactor,
  hashOfScheme,
  hashToken,
  isTokenText,
  passwordFault,
  type PasswordFault,
  type Principal,
  type PrincipalDirectory,
  type SignInPolicies,
  type SignInPolicy,
  type TokenRecord,
  type TokenScheme,
} from '@switchyard/tenancy';
import { err, ok, type Clock, type Instant, type JsonObject, type Result } from '@switchyard/values';
import { tokenOfCell } from '../../platform/ids.js';
import type { Session } from '../../platform/http/access/session.js';
import { tokenOf } from '../../platform/token.js';
import { refusal, type HttpAnswer } from '../../platform/http/http-answer.js';
import type { HttpContext } from '../../platform/http/http-context.js';
import { headerValues } from '../../platform/http/raw-headers.js';
import { needsSecondFactor, type SecondFactors } from './factors.js';
import { productName, type Invitations } from './invitations.js';
import type { SignInMails } from './sign-in-mails.js';
import type { Passkeys, Person } from './passkeys.js';
import type { Passwords } from './passwords.js';
import type { Step, Steps } from './steps.js';
import type { OrganizationSignIn } from './organization-sign-in.js';
import type { UpstreamSignIn } from './upstream-sign-in.js';

/**
 * The cookie of a session: 32 random bytes, whose hash is in the database. At https no other host of the domain can set a cookie with this prefix
 * (RFC 6265bis, 4.1.3.2).
 */
const sessionCookie = ({ url }: Pick<SessionPorts, 'url'>): string =>
  isHttps(url) ? '__Host-switchyard_session' : 'switchyard_session';

/** How long a session is valid: 12 hours, in milliseconds. A person signs in once a day. */
const sessionLifetimeMs = 12 * 60 * 60 * 1000;

/** Pages of other sites can send it only after a preflight request, which is refused. */
const consoleHeader = 'x-switchyard-console';

/** What sessions are kept in. */
export interface SessionPorts {
  readonly principals: Pick<
    PrincipalDirectory,
    'find' | 'findByTokenHash' | 'issueToken' | 'revokeToken' | 'noteUse'
  >;
  /** If absent, people sign in with tokens and links alone. */
  readonly signIn?: SignIn;
  readonly clock: Clock;
  /** Public address, without a trailing slash. */
  readonly url: () => string;
}

/** What the pages of sign-in need. */
export interface SignInContext
  extends SessionPorts, Pick<HttpContext, 'rates' | 'addressOf' | 'onUnexpected'> {
  /** Called after each attempt to sign in here. */
  readonly onSignIn?: (attempt: EventFields['sign_in']) => void;
}

/** Nest's token of it. */
export const SIGN_IN = tokenOf<SignInContext>('sign-in');

/** How long a sign-in waits for its second factor, in milliseconds. */
const secondStepMs = 5 * 60_000;

/** Ways to sign in, beside tokens and links. */
export interface SignIn {
  readonly passwords: Passwords;
  readonly factors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly invitations: Invitations;
  readonly steps: Steps;
  /** Absent without a mail server. */
  readonly mails?: Pick<SignInMails, 'requestReset'>;
  readonly policies: SignInPolicies;
  /** The policy of an organization that has set none. */
  readonly defaultPolicy: SignInPolicy;
  /** Present if the installation has an OpenID Connect provider. */
  readonly upstream?: UpstreamSignIn;
  /** By the providers of organizations. */
  readonly byOrganization?: OrganizationSignIn;
}

/** The browser of a sign-in, so that people can detect a foreign session. */
interface Seen {
  readonly device?: string;
  readonly address: string;
}

export function seenOf(request: FastifyRequest, addressOf: HttpContext['addressOf']): Seen {
  const [device] = headerValues(request.raw.rawHeaders, 'user-agent');
  return { address: addressOf(request), ...(device !== undefined && { device: device.slice(0, 200) }) };
}

/**
 * The session of a request, if its cookie names a live one. A change also needs the header `X-Switchyard-Console`, so
 * that a form on another site cannot make it. An ended cookie is refused: the page then shows the sign-in form.
 */
export async function sessionOf(
  request: FastifyRequest,
  ports: SessionPorts,
): Promise<Result<Session | undefined, HttpAnswer>> {
  const text = cookieOf(request, sessionCookie(ports));
  if (text === undefined) return ok(undefined);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && headerValues(request.raw.rawHeaders, consoleHeader).length === 0)
    return err(
      refusal({
        code: 'INVALID_REQUEST',
        message: 'A change with the cookie of a session needs the header X-Switchyard-Console: 1.',
        field: 'X-Switchyard-Console',
      }),
    );
  const session = await liveSession(text, ports);
  return session === undefined ? err(sessionEnded) : ok(session);
}

/**
 * The same for a page that a person opens by a link or a form: without a session, undefined instead of a refusal. A
 * session that still needs a second factor lets no program in.
 */
export async function personOf(request: FastifyRequest, ports: SessionPorts): Promise<Session | undefined> {
  const text = cookieOf(request, sessionCookie(ports));
  const session = text === undefined ? undefined : await liveSession(text, ports);
  return session?.token.factorDue === true ? undefined : session;
}

async function liveSession(text: string, ports: SessionPorts): Promise<Session | undefined> {
  const { principals, clock } = ports;
  if (!isTokenText(text)) return undefined;
  const match = await principals.findByTokenHash(hashOfScheme('session', text));
  const now = clock.now();
  const admitted = admitToken(match, now);
  if (!admitted.ok || match === undefined) return undefined;
  const { token, policy } = match;
  const { stepUpMs, idleMs } = { ...defaultsOf(ports), ...policy };
  if ((token.lastUsedAt ?? token.createdAt) + idleMs <= now) return undefined;
  if (now - (recordedUses.get(token.id) ?? 0) >= recordedMs) {
    if (recordedUses.size >= mostRecorded) recordedUses.clear();
    recordedUses.set(token.id, now);
    await principals.noteUse(admitted.value, token.id, now);
  }
  const recentUntil = (token.authenticatedAt ?? token.createdAt) + stepUpMs;
  return { principal: admitted.value, token, recentUntil };
}

const defaultsOf = ({ signIn }: Pick<SessionPorts, 'signIn'>): SignInPolicy =>
  signIn?.defaultPolicy ?? defaultSignInPolicy(false);

/** Whether a new session has to begin with the setup of a second factor that its organization demands. */
async function isFactorDue(principal: Principal, ports: SessionPorts): Promise<boolean> {
  const { signIn } = ports;
  if (signIn === undefined || principal.kind !== 'person') return false;
  const policy = { ...defaultsOf(ports), ...(await signIn.policies.of(principal)) };
  if (!demandsSecondFactor(policy, principal)) return false;
  return !needsSecondFactor(await signIn.factors.of(principal, principal.id));
}

/** When this process last stored the use of each session: once a minute. */
const recordedUses = new Map<string, Instant>();
const recordedMs = 60_000;
const mostRecorded = 10_000;

export const sessionEnded: HttpAnswer = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer realm="switchyard", error="invalid_token"' },
  body: { error: { code: 'AUTH_INVALID', message: 'The session has ended. Sign in again.' } },
};

/**
 * What a person signs in with: one of their tokens, the secret of a sign-in link, which is valid once, or an e-mail
 * address with its password.
 */
export type Proof =
  | { readonly token: string }
  | { readonly link: string }
  | { readonly email: string; readonly password: string }
  | { readonly second_step: string; readonly code: string }
  /** The secret of a mailed link, and the new password. */
  | { readonly reset: string; readonly password: string }
  /** With the password that the new person will use. */
  | { readonly invitation: string; readonly password: string }
  | PasskeyProof;

/** An authenticator's answer to our challenge, after a password or instead of one. */
interface PasskeyProof {
  readonly challenge_id: string;
  readonly passkey: JsonObject;
  readonly second_step?: string;
}

export interface OpenedSession {
  readonly session: Session;
  readonly cookie: string;
}

/**
 * Why a proof was not taken although it may be valid. `busy`: too many passwords are being checked. A fault: the new
 * password is too easy to guess.
 */
export type NotTaken = 'busy' | PasswordFault;

/** The password was right, and one of `factors` is needed too. */
export interface SecondStep {
  readonly secondStep: Step;
  readonly factors: readonly ('code' | 'passkey')[];
}

/**
 * Opens a session with the permissions of the token, that ends no later. Undefined if the proof is not valid, without a
 * reason.
 */
export async function openSession(
  proof: Proof,
  seen: Seen,
  ports: SessionPorts,
): Promise<OpenedSession | SecondStep | NotTaken | undefined> {
  if ('token' in proof || 'link' in proof) return openBySecret(proof, seen, ports);
  const shown = await personBy(proof, seen, ports);
  if (shown === undefined || typeof shown === 'string' || 'secondStep' in shown) return shown;
  return openSessionFor(shown, seen, ports);
}

/** The person of the proof, or the second step. */
function personBy(
  proof: Exclude<Proof, { readonly token: string } | { readonly link: string }>,
  seen: Seen,
  ports: SessionPorts,
): Promise<Person | SecondStep | NotTaken | undefined> {
  if ('invitation' in proof)
    return ports.signIn?.invitations.accept(proof.invitation, proof.password) ?? Promise.resolve(undefined);
  if ('reset' in proof) return byReset(proof, ports);
  if ('password' in proof) return byPassword(proof, seen, ports);
  if ('passkey' in proof && proof.second_step === undefined) return byPasskey(proof, ports);
  return bySecondStep(proof, seen, ports);
}

async function openBySecret(
  proof: { readonly token: string } | { readonly link: string },
  seen: Seen,
  ports: SessionPorts,
): Promise<OpenedSession | undefined> {
  const { principals, clock } = ports;
  const [scheme, text] =
    'token' in proof ? (['bearer', proof.token] as const) : (['link', proof.link] as const);
  if (!isTokenText(text)) return undefined;
  const hash = scheme === 'bearer' ? hashToken(text) : hashOfScheme('link', text);
  const match = await principals.findByTokenHash(hash);
  const now = clock.now();
  const admitted = admitToken(match, now);
  if (!admitted.ok || match === undefined) return undefined;
  const scope = { organizationId: admitted.value.organizationId };
  // A second use of a link finds it revoked.
  if (scheme === 'link' && !(await principals.revokeToken(scope, match.token.id, now))) return undefined;
  const made = secretOf('session', match.principal.id, now, sessionLifetimeMs);
  const due = (await isFactorDue(admitted.value, ports)) && { factorDue: true as const };
  const record: TokenRecord =
    scheme === 'link'
      ? { ...made.record, ...seen, ...due }
      : {
          ...made.record,
          ...seen,
          ...due,
          expiresAt: Math.min(made.record.expiresAt, match.token.expiresAt),
          openedBy: match.token.id,
          ...(match.token.permissions && { permissions: match.token.permissions }),
        };
  await principals.issueToken(scope, record);
  const recentUntil = now + defaultsOf(ports).stepUpMs;
  return { session: { principal: admitted.value, token: record, recentUntil }, cookie: made.text };
}

async function byPassword(
  { email, password }: { readonly email: string; readonly password: string },
  { address }: Seen,
  { signIn }: SessionPorts,
): Promise<Person | SecondStep | NotTaken | undefined> {
  const found = await signIn?.passwords.check(email, password, { address });
  if (found?.ok === false && found.error === 'busy') return 'busy';
  if (signIn === undefined || found?.ok !== true) return undefined;
  return afterPassword(found.value, signIn);
}

/** The person, or the second step where it has a second factor. */
async function afterPassword(person: Person, signIn: SignIn): Promise<Person | SecondStep> {
  const { organizationId, principalId } = person;
  const factors = await signIn.factors.of(person, principalId);
  if (needsSecondFactor(factors)) {
    const secondStep = await signIn.steps.start('SecondStep', { organizationId, principalId }, secondStepMs);
    return { secondStep, factors: factors.passkeys.length > 0 ? ['code', 'passkey'] : ['code'] };
  }
  await signIn.passwords.passed(person, principalId);
  return person;
}

/** Sets the new password and uses the link up. The second factor is asked for as after a password. */
async function byReset(
  { reset, password }: { readonly reset: string; readonly password: string },
  ports: SessionPorts,
): Promise<Person | SecondStep | NotTaken | undefined> {
  const { signIn } = ports;
  const about = await signIn?.steps.find('PasswordReset', reset);
  if (signIn === undefined || about === undefined) return undefined;
  const person = {
    organizationId: about['organizationId'] as string,
    principalId: about['principalId'] as string,
  };
  const email = await signIn.passwords.emailOf(person, person.principalId);
  // The page of a fault is asked again, so the link is not used up by it.
  const fault = passwordFault(password, [email ?? '', productName]);
  if (fault !== undefined) return fault;
  const replaced = await signIn.passwords.replace(
    person,
    person.principalId,
    password,
    async () => (await signIn.steps.take('PasswordReset', reset)) !== undefined,
  );
  if (replaced.ok) return afterPassword(person, signIn);
  return replaced.error === 'busy' ? 'busy' : undefined;
}

async function byPasskey(
  { challenge_id: challengeId, passkey: response }: PasskeyProof,
  { signIn }: SessionPorts,
): Promise<Person | undefined> {
  return signIn?.passkeys.check({ challengeId, response });
}

/** The person who has given a password and needs a second factor. */
export async function waitingPerson(text: string, { signIn }: SessionPorts): Promise<Person | undefined> {
  const about = await signIn?.steps.find('SecondStep', text);
  if (about === undefined) return undefined;
  return { organizationId: about['organizationId'] as string, principalId: about['principalId'] as string };
}

async function bySecondStep(
  proof: { readonly second_step: string; readonly code: string } | PasskeyProof,
  { address }: Seen,
  ports: SessionPorts,
): Promise<Person | undefined> {
  const { signIn } = ports;
  const text = proof.second_step ?? '';
  const person = await waitingPerson(text, ports);
  if (signIn === undefined || person === undefined) return undefined;
  const isRight =
    'code' in proof
      ? await signIn.factors.check(person, person.principalId, proof.code, { address })
      : (await signIn.passkeys.check(
          { challengeId: proof.challenge_id, response: proof.passkey },
          person,
        )) !== undefined;
  if (!isRight) return undefined;
  if ((await signIn.steps.take('SecondStep', text)) === undefined) return undefined;
  await signIn.passwords.passed(person, person.principalId);
  return person;
}

/**
 * Opens a session for an identified person. Undefined if the principal is disabled. The provider answers for the second
 * factor of whom it signs in (`hasFactor`).
 */
export async function openSessionFor(
  { organizationId, principalId }: Person,
  seen: Seen,
  ports: SessionPorts,
  { hasFactor } = { hasFactor: false },
): Promise<OpenedSession | undefined> {
  const made = secretOf('session', principalId, ports.clock.now(), sessionLifetimeMs);
  const principal = hasFactor ? undefined : await ports.principals.find({ organizationId }, principalId);
  const due = principal && (await isFactorDue(principal, ports)) && { factorDue: true as const };
  await ports.principals.issueToken({ organizationId }, { ...made.record, ...seen, ...due });
  const session = await liveSession(made.text, ports);
  return session === undefined ? undefined : { session, cookie: made.text };
}

/** A new session or link secret: as it is stored, and as it is shown once. */
function secretOf(
  scheme: Extract<TokenScheme, 'session' | 'link'>,
  principalId: string,
  now: Instant,
  lifetimeMs: number,
): { readonly record: TokenRecord; readonly text: string } {
  const { text } = tokenOfCell();
  const record = {
    id: randomUUID(),
    principalId,
    scheme,
    hash: hashOfScheme(scheme, text),
    label: scheme === 'session' ? 'signed in' : 'sign-in link',
    createdAt: now,
    expiresAt: now + lifetimeMs,
  };
  return { record, text };
}

/** A link that signs its person in once. Its secret is in the fragment (`#`), which no server and no log receives. */
export async function makeSignInLink(
  principal: Principal,
  lifetimeMs: number,
  ports: Pick<SessionPorts, 'clock' | 'url'> & {
    readonly principals: Pick<PrincipalDirectory, 'issueToken'>;
  },
  heldBy?: string,
): Promise<{ readonly link: string; readonly expiresAt: Instant }> {
  const { record, text } = secretOf('link', principal.id, ports.clock.now(), lifetimeMs);
  await ports.principals.issueToken({ organizationId: principal.organizationId }, record, heldBy);
  return { link: `${ports.url()}/console/#link=${text}`, expiresAt: record.expiresAt };
}

/** Ends the session that a browser had before this sign-in, whoever's it was: its cookie is replaced. */
export async function endReplaced(
  request: FastifyRequest,
  { session }: Pick<OpenedSession, 'session'>,
  ports: SessionPorts,
): Promise<void> {
  const text = cookieOf(request, sessionCookie(ports));
  const before = text === undefined ? undefined : await liveSession(text, ports);
  if (before !== undefined && before.token.id !== session.token.id) await endSession(before, ports);
}

/** Ends a session. */
export async function endSession(
  { principal, token }: Session,
  { principals, clock }: SessionPorts,
): Promise<void> {
  await principals.revokeToken({ organizationId: principal.organizationId }, token.id, clock.now());
}

/** The value of `Set-Cookie`. Scripts cannot read the cookie, and pages of other sites do not send it. */
export function setCookie(
  text: string,
  expiresAt: Instant,
  { clock, url }: Pick<SessionPorts, 'clock' | 'url'>,
  { name, path } = { name: sessionCookie({ url }), path: '/' },
): string {
  const seconds = Math.max(0, Math.floor((expiresAt - clock.now()) / 1000));
  const secure = isHttps(url) ? '; Secure' : '';
  // Lax, not Strict: a client that sends a person here to consent comes from another site.
  return `${name}=${text}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

const isHttps = (url: () => string): boolean => url().startsWith('https:');

export function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pairs = headerValues(request.raw.rawHeaders, 'cookie').flatMap((value) => value.split(';'));
  const own = pairs.map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`));
  return own?.slice(name.length + 1);
}
