import type { IdentityDirectory, PasskeyRecord, PrincipalDirectory, TenantScope } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { FactorRefusal, SecondFactors } from './sign-in/factors.js';
import { passkeysAtMost, type PasskeyRefusal, type Passkeys } from './sign-in/passkeys.js';
import type { Passwords } from './sign-in/passwords.js';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, jsonObject, plainText } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import { principalWithin } from './tokens.routes.js';
import { isOldSession, oldSession } from './old-session.js';

export interface FactorsDeps {
  readonly factors: SecondFactors;
  readonly passkeys: Pick<Passkeys, 'challengeToRegister' | 'register' | 'remove' | 'check'>;
  readonly passwords: Pick<Passwords, 'emailOf' | 'isRight' | 'passed'>;
  readonly principals: Pick<PrincipalDirectory, 'record' | 'noteAuthentication' | 'settleFactor'>;
  readonly identities: Pick<IdentityDirectory, 'of' | 'remove'>;
  readonly clock: Clock;
}

const code = z.string().min(1).max(40).describe('Of the app.');
const recoveryCodes = z
  .array(z.string())
  .describe('Shown this once. Each signs in once in the place of a code.');

/** Proves that the session is still used by its person. */
const shownAgain = z
  .strictObject({
    code: z.string().min(1).max(40).exactOptional().describe('Of the app, or a recovery code.'),
    password: z.string().min(1).max(200).exactOptional(),
  })
  .refine((row) => (row.code === undefined) !== (row.password === undefined), {
    error: 'must be one of code and password',
    path: ['code'],
  });

const passkeyAgain = z.strictObject({
  challenge_id: z.string().min(1).max(200),
  passkey: z.looseObject({ id: z.string() }).describe('What the authenticator has answered (WebAuthn).'),
});

const passkey = z.strictObject({
  passkey_id: z.string(),
  name: z.string(),
  created_at: instant,
  last_used_at: instant.exactOptional(),
});

/** A linked account of the OpenID Connect provider. */
const providerLink = z.strictObject({
  provider_link_id: z.string(),
  issuer: z.string(),
  subject: z.string().describe('As the provider names the account.'),
  created_at: instant,
});

const route = routesOn<FactorsDeps>();

/** Sign-in factors beside a password: a person manages its own, by its session; an admin can remove them. */
export const factorRoutes = [
  route({
    method: 'get',
    path: '/v1/me/sign-in',
    id: 'show_sign_in',
    summary: 'How you sign in: your address and your second factors',
    needs: 'own_session',
    answer: z.strictObject({
      email: z.string().exactOptional().describe('Absent: there is no password.'),
      totp_since: instant.exactOptional().describe('Absent: no codes of an app are requested.'),
      recovery_codes_left: z.int(),
      passkeys: z.array(passkey),
      provider_links: z.array(providerLink).describe('Accounts of the provider that sign you in.'),
    }),
    handle: async ({ factors, passwords, identities }, { caller }) => {
      const { totp, recoveryCodes: left, passkeys } = await factors.of(caller, caller.principalId);
      const email = await passwords.emailOf(caller, caller.principalId);
      const links = await identities.of(caller, caller.principalId, 'sign_in');
      return ok({
        ...(email !== undefined && { email }),
        ...(totp && { totp_since: isoOf(totp.since) }),
        recovery_codes_left: left,
        passkeys: passkeys.map(viewOf),
        provider_links: links.map(({ id, issuer, subject, createdAt }) => ({
          provider_link_id: id,
          issuer,
          subject,
          created_at: isoOf(createdAt),
        })),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/show-again',
    id: 'show_again',
    summary:
      'Show a code, a passkey (challenge: POST /v1/session/passkey) or the password again: the sign-in of this session then counts as recent',
    needs: 'own_session',
    secretsTaken: ['code', 'password', 'challenge_id', 'passkey'],
    body: z.union([shownAgain, passkeyAgain]),
    bodyExample: { code: '492039' },
    answer: z.strictObject({ session_id: z.string(), shown_at: instant }),
    handle: async (deps, { caller, body }) => {
      const shown =
        'passkey' in body
          ? await passkeyShown(deps, caller, body)
          : await showAgain(deps, caller, caller.principalId, body);
      if (!shown.ok) return shown;
      const [at, id] = [deps.clock.now(), caller.sessionId ?? ''];
      await deps.principals.noteAuthentication(caller, id, at);
      return ok({ session_id: id, shown_at: isoOf(at) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/totp',
    id: 'begin_totp',
    showsOnce: true,
    summary:
      'Start to set up codes of an app; they are active after the first code. Within 15 minutes of a sign-in',
    needs: 'own_session',
    answer: z.strictObject({
      secret: z.string().describe('Base32. Shown this once.'),
      uri: z.string().describe('The same for an app, as otpauth://.'),
    }),
    handle: async ({ factors, clock }, { caller }) => {
      if (isOldSession(caller, clock)) return err(oldSession);
      const begun = await factors.begin(caller, caller.principalId);
      return begun.ok ? begun : err(refusals[begun.error]);
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/totp/confirm',
    id: 'confirm_totp',
    showsOnce: true,
    summary: 'Confirm the app with its first code: from then on each sign-in asks for one',
    needs: 'own_session',
    secretsTaken: ['code'],
    body: z.strictObject({ code }),
    answer: z.strictObject({ recovery_codes: recoveryCodes }),
    handle: async ({ factors, principals }, { caller, body }) => {
      const confirmed = await factors.confirm(caller, caller.principalId, body.code);
      if (!confirmed.ok) return err(refusals[confirmed.error]);
      await principals.settleFactor(caller, caller.principalId);
      return ok({ recovery_codes: await factors.renewRecoveryCodes(caller, caller.principalId) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/totp/remove',
    id: 'remove_totp',
    summary: 'Remove the codes of an app; needs a code or the password',
    needs: 'own_session',
    secretsTaken: ['code', 'password'],
    body: shownAgain,
    bodyExample: { code: '492039' },
    answer: z.strictObject({ removed: z.literal(true) }),
    handle: async (deps, { caller, body }) => {
      const shown = await showAgain(deps, caller, caller.principalId, body);
      if (!shown.ok) return shown;
      await deps.factors.removeTotp(caller, caller.principalId);
      return ok({ removed: true as const });
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/recovery-codes',
    id: 'renew_recovery_codes',
    showsOnce: true,
    summary: 'Create ten new recovery codes; the previous ones become invalid',
    needs: 'own_session',
    secretsTaken: ['code', 'password'],
    body: shownAgain,
    bodyExample: { code: '492039' },
    answer: z.strictObject({ recovery_codes: recoveryCodes }),
    handle: async (deps, { caller, body }) => {
      const shown = await showAgain(deps, caller, caller.principalId, body);
      if (!shown.ok) return shown;
      return ok({ recovery_codes: await deps.factors.renewRecoveryCodes(caller, caller.principalId) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/passkeys/challenge',
    id: 'begin_passkey',
    summary: 'A challenge for an authenticator that you register, within 15 minutes of a sign-in',
    needs: 'own_session',
    answer: z.strictObject({
      challenge_id: z.string(),
      options: jsonObject.describe('The options for the browser, as in WebAuthn.'),
    }),
    handle: async ({ passkeys, clock }, { caller }) => {
      if (isOldSession(caller, clock)) return err(oldSession);
      const made = await passkeys.challengeToRegister(caller, caller.name);
      return made.ok ? made : err(passkeyRefusals[made.error]);
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/passkeys',
    id: 'add_passkey',
    showsOnce: true,
    summary: 'Register an authenticator, as a passkey and as a second factor',
    needs: 'own_session',
    secretsTaken: ['challenge_id', 'passkey'],
    body: z.strictObject({
      name: plainText(60).trim().min(1).describe('What you call it.'),
      challenge_id: z.string().min(1).max(200),
      passkey: z.looseObject({ id: z.string() }).describe('What the authenticator has answered (WebAuthn).'),
    }),
    answer: z.strictObject({
      ...passkey.shape,
      recovery_codes: recoveryCodes.exactOptional().describe('With the first one. Shown this once.'),
    }),
    handle: async ({ passkeys, factors, principals }, { caller, body }) => {
      const { name, challenge_id: challengeId, passkey: response } = body;
      const given = { name, challengeId, response: response as JsonObject };
      const made = await passkeys.register(caller, given);
      if (!made.ok) return err(passkeyRefusals[made.error]);
      await principals.settleFactor(caller, caller.principalId);
      const { recoveryCodes: left } = await factors.of(caller, caller.principalId);
      return ok({
        ...viewOf(made.value),
        ...(left === 0 && {
          recovery_codes: await factors.renewRecoveryCodes(caller, caller.principalId),
        }),
      });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/me/passkeys/{id}',
    id: 'remove_passkey',
    summary: 'Remove an authenticator, within 15 minutes of a sign-in',
    needs: 'own_session',
    answer: z.strictObject({ passkey_id: z.string(), removed: z.literal(true) }),
    handle: async ({ passkeys, clock }, { caller, params: { id } }) => {
      if (isOldSession(caller, clock)) return err(oldSession);
      return isUuid(id) && (await passkeys.remove(caller, id))
        ? ok({ passkey_id: id, removed: true as const })
        : err({ code: 'NOT_FOUND', message: 'You have no passkey with this id.', field: 'id' });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/me/provider-links/{id}',
    id: 'remove_provider_link',
    summary:
      'Unlink an account of the provider: it signs you in again only as whoever has your verified address',
    needs: 'own_session',
    answer: z.strictObject({ provider_link_id: z.string(), removed: z.literal(true) }),
    handle: async ({ identities, clock }, { caller, params: { id } }) => {
      const own = { principalId: caller.principalId, kind: 'sign_in' } as const;
      return isUuid(id) && (await identities.remove(caller, id, clock.now(), own)) !== undefined
        ? ok({ provider_link_id: id, removed: true as const })
        : err({ code: 'NOT_FOUND', message: 'You have no link with this id.', field: 'id' });
    },
  }),
  route({
    method: 'post',
    path: '/v1/principals/{name}/reset-factors',
    id: 'reset_factors',
    summary: 'Remove all second factors of a person who has lost them',
    needs: 'principals.write',
    answer: z.strictObject({ principal_id: z.string(), reset: z.literal(true) }),
    handle: async (deps, { caller, params }) => {
      const found = await principalWithin(deps, caller, params.name);
      if (!found.ok) return found;
      await deps.factors.reset(caller, found.value.id);
      return ok({ principal_id: found.value.id, reset: true as const });
    },
  }),
];

/** Too many passwords were being checked: nothing was compared. */
export const tooBusy = {
  code: 'UNAVAILABLE',
  message:
    'Too many passwords are being checked at this moment, so yours was not. Try again in a few seconds.',
  recovery: 'transient',
} as const satisfies AdminFailure;

async function showAgain(
  { factors, passwords }: FactorsDeps,
  scope: TenantScope,
  principalId: string,
  { code, password }: z.output<typeof shownAgain>,
): Promise<Result<undefined, AdminFailure>> {
  if (code === undefined) {
    const isRight = await passwords.isRight(scope, principalId, password ?? '');
    if (!isRight.ok) return err(isRight.error === 'busy' ? tooBusy : refusals.wrong);
  } else if (!(await factors.check(scope, principalId, code, 'session'))) return err(refusals.wrong);
  await passwords.passed(scope, principalId);
  return ok(undefined);
}

async function passkeyShown(
  { passkeys }: FactorsDeps,
  { principalId }: PrincipalCaller,
  given: z.output<typeof passkeyAgain>,
): Promise<Result<undefined, AdminFailure>> {
  const { challenge_id: challengeId, passkey: response } = given;
  const person = await passkeys.check({ challengeId, response: response as JsonObject });
  return person?.principalId === principalId ? ok(undefined) : err(passkeyRefusals.wrong);
}

function viewOf({ id, name, createdAt, lastUsedAt }: PasskeyRecord): z.output<typeof passkey> {
  return {
    passkey_id: id,
    name,
    created_at: isoOf(createdAt),
    ...(lastUsedAt !== undefined && { last_used_at: isoOf(lastUsedAt) }),
  };
}

export const passkeyRefusals: Readonly<Record<PasskeyRefusal, AdminFailure>> = {
  no_name: {
    code: 'CONFLICT',
    message: 'Passkeys belong to a name, and this installation is reached by an IP address alone.',
    suggestion: 'Set SWITCHYARD_PUBLIC_URL to an address with a host name.',
  },
  wrong: {
    code: 'INVALID_REQUEST',
    message: 'The authenticator did not answer the challenge, or it is older than five minutes.',
    field: 'passkey',
  },
  too_many: {
    code: 'CONFLICT',
    message: `You have ${passkeysAtMost} passkeys, the most there may be.`,
    suggestion: 'Remove one that you do not use any more.',
  },
  taken: { code: 'CONFLICT', message: 'This authenticator is registered already.', field: 'passkey' },
};

const refusals: Readonly<Record<FactorRefusal, AdminFailure>> = {
  no_password: {
    code: 'CONFLICT',
    message: 'Set a password first: codes are requested after it.',
  },
  wrong: {
    code: 'INVALID_REQUEST',
    message: 'This is not correct, or there were too many attempts in the last 15 minutes.',
    field: 'code',
  },
  not_begun: { code: 'CONFLICT', message: 'Start again: the setup was not started, or has ended.' },
  unavailable: { code: 'UNAVAILABLE', message: 'The vault is not writable at the moment.' },
};
