import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { admitToken, authorize, hashToken, isTokenText, operationNeeds } from '@switchyard/tenancy';
import type { OperationName, Principal } from '@switchyard/tenancy';
import { dialects } from '@switchyard/protocol';
import { err, ok, type Result, type Secret } from '@switchyard/values';
import type { Caller, PrincipalCaller } from '../application/task-call.js';
import { refusal, type DoorAnswer } from './door-answer.js';
import type { DoorsContext } from './doors-context.js';
import { headerValues } from './raw-headers.js';
import { signatureRefused, verifyRequestSignature } from './verify-signature.js';

/** Headers that MCP callers of old carried a bearer token in. No other door knows them. */
const mcpAliases = [dialects.ads.bearerAliasHeader, dialects.adcp.bearerAliasHeader];

export interface AuthenticateOptions {
  readonly aliases: boolean;
}

/**
 * Finds out who is calling, from the transport's headers alone and for this one request.
 *
 * Nobody is ever downgraded: a credential that does not hold is refused, also where none was needed. Signature
 * headers come in pairs, and half a pair is refused before anything else, so that stripping one cannot turn a signed
 * request into an unsigned one.
 */
export async function authenticate(
  request: FastifyRequest,
  doors: AuthenticatingDoors,
  options: AuthenticateOptions = { aliases: false },
): Promise<Result<Caller, DoorAnswer>> {
  const { rawHeaders } = request.raw;
  const signed = headerValues(rawHeaders, 'signature').length > 0;
  const described = headerValues(rawHeaders, 'signature-input').length > 0;
  if (signed !== described) {
    const why = 'Signature and Signature-Input come together or not at all.';
    // Verified all the same: the verdict on it is kept for people.
    await verifyRequestSignature(request, doors, undefined);
    return err(signatureRefused('request_signature_header_malformed', why));
  }

  const token = bearerToken(rawHeaders, options.aliases);
  if (!token.ok) return token;
  const held = token.value === undefined ? undefined : await principalOf(token.value, doors);
  if (held?.ok === false) return held;
  if (signed) return signedCaller(request, doors, held?.value);
  if (held === undefined) {
    if (doors.publicOrganizationId === undefined) return err(credentialMissing());
    return ok({ kind: 'public', organizationId: doors.publicOrganizationId });
  }
  return held;
}

type AuthenticatingDoors = Pick<
  DoorsContext,
  'principals' | 'publicOrganizationId' | 'clock' | 'signatures' | 'url'
>;

async function principalOf(
  token: string,
  doors: AuthenticatingDoors,
): Promise<Result<PrincipalCaller, DoorAnswer>> {
  if (!isTokenText(token)) return err(credentialInvalid(refusals.unknown));
  const match = await doors.principals.findByTokenHash(hashToken(token));
  const admitted = admitToken(match, doors.clock.now());
  if (!admitted.ok) return err(credentialInvalid(refusals[admitted.error]));
  return ok(callerOf(admitted.value));
}

/** A signature that is there has to hold, and be of whoever the token beside it stands for. */
async function signedCaller(
  request: FastifyRequest,
  doors: AuthenticatingDoors,
  held: PrincipalCaller | undefined,
): Promise<Result<Caller, DoorAnswer>> {
  const found = await verifyRequestSignature(request, doors, held);
  if (!found.ok) return found;
  return ok({ ...found.value.principal, signedBy: found.value.signedBy });
}

/** Lets a principal through to one of the operations outside the protocol's tasks, if it may. */
export async function authorizeOperation(
  request: FastifyRequest,
  doors: AuthenticatingDoors,
  operation: OperationName,
): Promise<Result<PrincipalCaller, DoorAnswer>> {
  const caller = await authenticate(request, doors);
  if (!caller.ok) return caller;
  if (caller.value.kind === 'public') return err(credentialMissing());
  const allowed = authorize(caller.value, { access: 'credentials', ...operationNeeds[operation] });
  if (!allowed.ok) return err(refusal({ code: 'INSUFFICIENT_PERMISSIONS', message: allowed.error.message }));
  return ok(caller.value);
}

/** True for the holder of the data folder's admin secret. Compares hashes, in constant time. */
export function holdsAdminSecret(rawHeaders: readonly string[], secret: Secret | undefined): boolean {
  const token = bearerToken(rawHeaders, false);
  if (!secret || !token.ok || token.value === undefined) return false;
  return timingSafeEqual(
    hashToken(token.value),
    secret.useText((text) => hashToken(text)),
  );
}

export function credentialMissing(): DoorAnswer {
  return {
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="switchyard"' },
    body: { error: { code: 'AUTH_REQUIRED', message: 'This needs a credential: Authorization: Bearer.' } },
  };
}

function credentialInvalid(why: string): DoorAnswer {
  return {
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="switchyard", error="invalid_token"' },
    body: { error: { code: 'AUTH_INVALID', message: `The credential ${why}.` } },
  };
}

function bearerToken(
  rawHeaders: readonly string[],
  aliases: boolean,
): Result<string | undefined, DoorAnswer> {
  const canonical = headerValues(rawHeaders, 'authorization');
  const others = aliases ? mcpAliases.flatMap((name) => headerValues(rawHeaders, name)) : [];
  const tokens = new Set<string>();
  for (const value of canonical) {
    const token = /^bearer +([\x21-\x7e]+) *$/i.exec(value)?.[1];
    if (token === undefined) return err(credentialInvalid('is not of the form: Bearer TOKEN'));
    tokens.add(token);
  }
  for (const value of others) {
    const token = /^(?:bearer +)?([\x21-\x7e]+) *$/i.exec(value)?.[1];
    if (token === undefined) return err(credentialInvalid('is malformed'));
    tokens.add(token);
  }
  if (canonical.length > 1) return err(credentialInvalid('was sent more than once'));
  if (tokens.size > 1) return err(credentialInvalid('in one header contradicts the one in another'));
  return ok([...tokens][0]);
}

const refusals = {
  unknown: 'is not known',
  expired: 'has expired',
  revoked: 'was revoked',
  disabled: 'belongs to a principal that is switched off',
} as const;

function callerOf(principal: Principal): PrincipalCaller {
  return {
    kind: 'principal',
    organizationId: principal.organizationId,
    principalId: principal.id,
    name: principal.name,
    principalKind: principal.kind,
    permissions: principal.permissions,
    transitional: principal.transitional,
    legacy: principal.legacy,
  };
}
