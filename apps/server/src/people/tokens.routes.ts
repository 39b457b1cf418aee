import {
  firstBeyond,
  firstBeyondPrincipal,
  hashPair,
  readPermissions,
  tokenLifetimeMs,
  withFewerPermissions,
  type Permissions,
  type Principal,
  type PrincipalDirectory,
  type TenantScope,
  type TokenRecord,
  type TokenScheme,
} from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import { tokenOfCell } from '../platform/ids.js';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { makeSignInLink } from './sign-in/sessions.js';
import { instant, permissionsRequest, tokenTtl } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';

interface NewTokenDeps {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Buffer;
}

interface TokensDeps extends NewTokenDeps {
  readonly principals: Pick<
    PrincipalDirectory,
    'findByName' | 'findByTokenHash' | 'issueToken' | 'record' | 'replaceToken' | 'revokeToken' | 'tokens'
  >;
  /** The public address, without a trailing slash. */
  readonly baseUrl: () => string;
  /** The organization and principal that the holder of the data folder acts as. */
  readonly local: { readonly scope: TenantScope; readonly principalName: string };
  /** Resolves once the sellers of this start are live. */
  readonly sellersReady: () => Promise<void>;
}

interface NewToken {
  readonly token: string;
  readonly principal: string;
  readonly expires_at: string;
}

const tokenScheme = z.enum(['bearer', 'basic']);

/** The scheme of a listed secret: browser sessions and sign-in links are stored as tokens are. */
export const heldScheme = z.enum([...tokenScheme.options, 'session', 'link', 'scim']);

/** A new secret. This answer is the only one that shows it. */
export const shownCredential = z.strictObject({
  principal_id: z.string(),
  token_id: z.string(),
  token: z.string().exactOptional().describe('For Authorization: Bearer.'),
  username: z.string().exactOptional().describe('For Authorization: Basic.'),
  password: z.string().exactOptional(),
  expires_at: instant,
});

const rotation = z.strictObject({
  token_id: z.uuid().exactOptional().describe('Needed where the principal has several tokens.'),
  overlap_seconds: z
    .int()
    .min(0)
    .max(30 * 24 * 3600)
    .default(24 * 3600)
    .describe('How long the old one stays good beside the new one.'),
  ttl_seconds: tokenTtl.exactOptional(),
});

const route = routesOn<TokensDeps>();

/** Tokens of principals, and those for the command line. They are listed with their principals. */
export const tokenRoutes = [
  route({
    method: 'post',
    path: '/v1/tokens',
    id: 'mint_token',
    showsOnce: true,
    summary: 'Issue a token',
    needs: 'principals.write',
    takesAdminSecret: true,
    body: z.strictObject({
      ttl_seconds: z
        .int()
        .min(1)
        .max(31 * 24 * 3600)
        .exactOptional(),
      principal: z.string().min(1).max(200).exactOptional(),
    }),
    answer: z.strictObject({
      url: z.string(),
      mcp_url: z.string(),
      a2a_url: z.string(),
      token: z.string().describe('Shown this once.'),
      principal: z.string(),
      expires_at: instant,
    }),
    handle: async (deps, { caller, body }) => {
      const issued = await issueToken(deps, caller, body);
      if (!issued.ok) return issued;
      const url = deps.baseUrl();
      return ok({ url, mcp_url: `${url}/mcp`, a2a_url: `${url}/a2a`, ...issued.value });
    },
  }),
  route({
    method: 'post',
    path: '/v1/principals/{name}/tokens',
    id: 'add_token',
    showsOnce: true,
    summary: 'Issue another token for a principal, optionally with fewer permissions',
    needs: 'principals.write',
    body: z.strictObject({
      permissions: permissionsRequest.exactOptional().describe('All of its principal unless set.'),
      scheme: tokenScheme.default('bearer'),
      ttl_seconds: tokenTtl.exactOptional(),
    }),
    answer: shownCredential,
    handle: async (deps, { caller, params, body }) => {
      const found = await livePrincipal(deps, caller, params.name);
      if (!found.ok) return found;
      const permissions = body.permissions && readPermissions(body.permissions);
      const wanted = permissions ?? found.value.permissions;
      const lacking = firstBeyond(found.value.permissions, wanted);
      if (lacking !== undefined)
        return err({
          code: 'INVALID_REQUEST',
          message: `${params.name} does not have ${lacking}.`,
          field: 'permissions',
        });
      const beyond = firstBeyondPrincipal(caller, withFewerPermissions(found.value, wanted));
      if (beyond !== undefined) return err(beyondFailure(beyond, 'permissions'));
      const made = newCredential(deps, found.value.id, {
        scheme: body.scheme,
        label: `made by ${caller.name}`,
        permissions,
        ttlSeconds: body.ttl_seconds,
      });
      await deps.principals.issueToken(caller, made.record, caller.principalId);
      return ok(made.shown);
    },
  }),
  route({
    method: 'post',
    path: '/v1/principals/{name}/rotate',
    id: 'rotate_token',
    showsOnce: true,
    summary: 'Replace a token with a new one; the old one stays valid for a stated time',
    needs: 'principals.write',
    body: rotation,
    answer: z.strictObject({
      ...shownCredential.shape,
      previous_until: instant.describe('Until when the replaced one is good.'),
    }),
    handle: async (deps, { caller, params, body }) => {
      const found = await livePrincipal(deps, caller, params.name);
      if (!found.ok) return found;
      const replaced = await tokenToReplace(deps, caller, found.value, body.token_id);
      if (!replaced.ok) return replaced;
      const { id, scheme, label, permissions, expiresAt } = replaced.value;
      const beyond = firstBeyondPrincipal(
        caller,
        withFewerPermissions(found.value, permissions ?? found.value.permissions),
      );
      if (beyond !== undefined) return err(beyondFailure(beyond, 'name'));
      const drafted = { scheme, label, permissions, ttlSeconds: body.ttl_seconds };
      const made = newCredential(deps, found.value.id, drafted);
      const until = Math.min(expiresAt, deps.clock.now() + body.overlap_seconds * 1000);
      const replacing = { id, until, heldBy: caller.principalId };
      if (!(await deps.principals.replaceToken(caller, made.record, replacing))) return err(noSuchToken);
      return ok({ ...made.shown, previous_until: isoOf(until) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/principals/{name}/sign-in-links',
    id: 'add_sign_in_link',
    showsOnce: true,
    summary: 'Make a link with which a person signs in to the console once',
    needs: 'principals.write',
    takesAdminSecret: true,
    body: z.strictObject({
      ttl_seconds: z
        .int()
        .min(60)
        .max(15 * 60)
        .default(15 * 60)
        .describe('How long the link is good, at most 15 minutes. An invitation may take longer.'),
    }),
    answer: z.strictObject({
      principal_id: z.string(),
      link: z
        .string()
        .describe('Shown this once. It opens the console, which asks and then signs the person in.'),
      expires_at: instant,
    }),
    handle: async (deps, { caller, params, body }) => {
      const scope = caller === 'local' ? deps.local.scope : { organizationId: caller.organizationId };
      const found = await livePrincipal(deps, scope, params.name);
      if (!found.ok) return found;
      if (found.value.kind !== 'person')
        return err({
          code: 'INVALID_REQUEST',
          message: 'Only a person signs in to the console. Agents and services use a token.',
          field: 'name',
        });
      const beyond = caller === 'local' ? undefined : firstBeyondPrincipal(caller, found.value);
      if (beyond !== undefined) return err(beyondFailure(beyond, 'name'));
      const ports = { ...deps, url: deps.baseUrl };
      const made = await makeSignInLink(
        found.value,
        body.ttl_seconds * 1000,
        ports,
        await holderOf(deps, caller),
      );
      return ok({ principal_id: found.value.id, link: made.link, expires_at: isoOf(made.expiresAt) });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/tokens/{id}',
    id: 'revoke_token',
    summary: 'Revoke one token',
    needs: 'principals.delete',
    answer: z.strictObject({ token_id: z.string(), revoked: z.boolean() }),
    handle: async ({ principals, clock }, { caller, params: { id } }) =>
      isUuid(id) && (await principals.revokeToken(caller, id, clock.now()))
        ? ok({ token_id: id, revoked: true })
        : err({ code: 'NOT_FOUND', message: 'There is no token with this id.', field: 'id' }),
  }),
];

/**
 * Issues a bearer token. The holder of the data folder's admin secret (`local`) may request one for any principal; a
 * principal with write access to `principals` only in its own organization. Resolves once the sellers of this start are
 * live, so that the first request reaches the whole market. The token lives 24 hours unless `ttl_seconds` is set.
 */
export async function issueToken(
  deps: TokensDeps,
  by: PrincipalCaller | 'local',
  request: { readonly ttl_seconds?: number; readonly principal?: string },
): Promise<Result<NewToken, AdminFailure>> {
  await deps.sellersReady();
  const scope = by === 'local' ? deps.local.scope : { organizationId: by.organizationId };
  const name = request.principal ?? (by === 'local' ? deps.local.principalName : by.name);
  const principal = await deps.principals.findByName(scope, name);
  if (principal === undefined)
    return err({ code: 'NOT_FOUND', message: `There is no principal called ${name}.`, field: 'principal' });
  const beyond = by === 'local' ? undefined : firstBeyondPrincipal(by, principal);
  if (beyond !== undefined) return err(beyondFailure(beyond, 'principal'));
  const now = deps.clock.now();
  const lifetimeMs = request.ttl_seconds === undefined ? tokenLifetimeMs : request.ttl_seconds * 1000;
  const { text, hash } = tokenOfCell(deps.randomBytes(32));
  const token = {
    id: deps.newId(),
    principalId: principal.id,
    scheme: 'bearer',
    hash,
    label: by === 'local' ? 'switchyard token' : `minted by ${by.name}`,
    createdAt: now,
    expiresAt: now + lifetimeMs,
  } as const;
  await deps.principals.issueToken(scope, token, await holderOf(deps, by));
  return ok({ token: text, principal: principal.name, expires_at: isoOf(now + lifetimeMs) });
}

/** The principal that is given a credential. The holder of the data folder acts as its operator. */
async function holderOf(
  { principals, local }: Pick<TokensDeps, 'principals' | 'local'>,
  by: PrincipalCaller | 'local',
): Promise<string | undefined> {
  return by === 'local'
    ? (await principals.findByName(local.scope, local.principalName))?.id
    : by.principalId;
}

/** Default lifetime of a principal's token: 90 days, in seconds. */
const usualTtlSeconds = 90 * 24 * 3600;

interface CredentialDraft {
  readonly scheme: TokenScheme;
  readonly label: string;
  /** If absent: all permissions of the principal. */
  readonly permissions?: Permissions | undefined;
  readonly ttlSeconds?: number | undefined;
}

/** A new secret of a principal: as it is stored, and as it is shown once. */
export function newCredential(
  deps: NewTokenDeps,
  principalId: string,
  { scheme, label, permissions, ttlSeconds = usualTtlSeconds }: CredentialDraft,
): { readonly record: TokenRecord; readonly shown: z.output<typeof shownCredential> } {
  const { text, hash } = tokenOfCell(deps.randomBytes(32));
  const id = deps.newId();
  const createdAt = deps.clock.now();
  const expiresAt = createdAt + ttlSeconds * 1000;
  const secret = scheme === 'bearer' ? { token: text } : { username: principalId, password: text };
  return {
    record: {
      id,
      principalId,
      scheme,
      hash: scheme === 'bearer' ? hash : hashPair(principalId, text),
      label,
      createdAt,
      expiresAt,
      ...(permissions !== undefined && { permissions }),
    },
    shown: { principal_id: principalId, token_id: id, ...secret, expires_at: isoOf(expiresAt) },
  };
}

/** A principal that is not disabled. A disabled one gets no new credential. */
export async function livePrincipal(
  { principals }: { readonly principals: Pick<PrincipalDirectory, 'record'> },
  scope: TenantScope,
  name: string,
): Promise<Result<Principal, AdminFailure>> {
  const found = await principals.record(scope, { name });
  return found === undefined || found.disabledAt !== undefined
    ? err({ code: 'NOT_FOUND', message: 'There is no principal with this name.', field: 'name' })
    : ok(found.principal);
}

/** A principal that the caller may change: its permissions do not exceed the caller's. */
export async function principalWithin(
  deps: { readonly principals: Pick<PrincipalDirectory, 'record'> },
  caller: PrincipalCaller,
  name: string,
): Promise<Result<Principal, AdminFailure>> {
  const found = await livePrincipal(deps, caller, name);
  if (!found.ok) return found;
  const beyond = firstBeyondPrincipal(caller, found.value);
  return beyond === undefined ? found : err(beyondFailure(beyond, 'name'));
}

async function tokenToReplace(
  { principals, clock }: TokensDeps,
  caller: PrincipalCaller,
  principal: Principal,
  tokenId: string | undefined,
): Promise<Result<TokenRecord, AdminFailure>> {
  const live = (await principals.tokens(caller)).filter(
    (token) => token.principalId === principal.id && token.expiresAt > clock.now() && !isOfBrowser(token),
  );
  const [only, another] = tokenId === undefined ? live : live.filter((token) => token.id === tokenId);
  if (only !== undefined && another === undefined) return ok(only);
  return err(only === undefined ? noSuchToken : severalTokens);
}

/** A session or a link cannot be rotated: the person signs in again. */
const isOfBrowser = ({ scheme }: TokenRecord): boolean => scheme === 'session' || scheme === 'link';

const noSuchToken: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no live token with this id to rotate.',
  field: 'token_id',
};

/** A token that expires after a rotation is still live. */
const severalTokens: AdminFailure = {
  code: 'CONFLICT',
  message: 'There are several live tokens: name one.',
  field: 'token_id',
  suggestion: 'GET /v1/principals, or `switchyard principals list --json`, has the id and the end of each.',
};

export function beyondFailure(beyond: string, field: string): AdminFailure {
  return { code: 'INVALID_REQUEST', message: `This would give ${beyond}, which you do not have.`, field };
}
