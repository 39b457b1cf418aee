import type { ControlRequests } from '@switchyard/buys';
import type { Egress } from '@switchyard/sellers';
import type { SetUpLists } from '@switchyard/store';
import {
  directGrant,
  firstBeyondPrincipal,
  readPermissions,
  usualPermissions,
  type Grant,
  type GrantDirectory,
  type GrantRecord,
  type Permissions,
  type Principal,
  type PrincipalDirectory,
  type PrincipalRecord,
  type TokenRecord,
  type VouchedIdentity,
} from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import {
  brandName,
  httpAddress,
  instant,
  permissionsRequest,
  permissionsView,
  plainName,
  tokenTtl,
} from '../platform/routes/fields.js';
import { aloneMember, aloneOf, refuseJoined, takeControl } from '../platform/routes/control.js';
import { namedKey, namedSortQuery, reachFilter } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { draftGrant, grantRequest, placedGrant } from './grants.routes.js';
import { textOf } from './scope-text.js';
import { nameOrId } from '../platform/routes/fields.js';
import {
  identity,
  identityOf,
  identityRequest,
  identityView,
  nameTaken,
  type ProofDeps,
} from './identities.routes.js';
import { routesOn, type Immutable } from '../platform/routes/route.js';
import { keySet, signerOf, type SignerDraft } from './signers.routes.js';
import { beyondFailure, newCredential, heldScheme, shownCredential } from './tokens.routes.js';

interface PrincipalsDeps extends ProofDeps {
  readonly principals: PrincipalDirectory;
  readonly grants: GrantDirectory;
  readonly controls: Pick<ControlRequests, 'demandsAnother' | 'take'>;
  readonly setUp: Pick<SetUpLists, 'principals'>;
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly randomBytes: (size: number) => Buffer;
  /** Only in the local profile. */
  readonly trustsTestKeys?: boolean;
}

/** Whoever holds the data folder acts as this principal, so it cannot be switched off. */
export const operatorName = 'operator';

const kind = z.enum(['buyer', 'brand', 'person', 'service']);

const principalRequest = z
  .strictObject({
    name: plainName,
    kind,
    permissions: permissionsRequest
      .exactOptional()
      .describe('What is usual for its kind unless set; nothing for a person or service with grants.'),
    grants: z.array(grantRequest).max(20).exactOptional(),
    brand_domain: brandName.exactOptional(),
    transitional: z
      .boolean()
      .exactOptional()
      .describe('May change things unsigned. True for a person unless set, who has no key to sign with.'),
    legacy: z.boolean().default(false),
    jwks_uri: httpAddress.exactOptional(),
    jwks: keySet.exactOptional(),
    agent_url: httpAddress.exactOptional(),
    dialect: z.enum(['ads', 'adcp']).default('ads'),
    allows_rsa_pss: z.boolean().default(false),
    identity: identityRequest.exactOptional(),
    scheme: z
      .enum(['bearer', 'basic', 'none'])
      .default('bearer')
      .describe('none for one that signs, or that others vouch for.'),
    ttl_seconds: tokenTtl.exactOptional(),
  })
  .refine((row) => row.jwks_uri === undefined || row.jwks === undefined, {
    error: 'must be one of jwks_uri and jwks',
    path: ['jwks'],
  })
  .refine((row) => !row.allows_rsa_pss || row.jwks_uri !== undefined || row.jwks !== undefined, {
    error: 'is about the keys that it signs with: name them',
    path: ['allows_rsa_pss'],
  })
  .refine((row) => row.kind === 'brand' || row.brand_domain === undefined, {
    error: "is of a brand's own agent alone",
    path: ['brand_domain'],
  })
  .refine((row) => row.kind !== 'service' || row.permissions !== undefined || row.grants !== undefined, {
    error: 'must be named: a service key may do what it is given and no more',
    path: ['permissions'],
  });
type PrincipalRequest = z.output<typeof principalRequest>;

const token = z.strictObject({
  token_id: z.string(),
  scheme: heldScheme,
  label: z.string(),
  permissions: permissionsView
    .exactOptional()
    .describe('Present where the token holds less than its principal.'),
  created_at: instant,
  expires_at: instant,
  device: z.string().exactOptional().describe('Of a session: the browser that opened it.'),
  address: z.string().exactOptional().describe('Of a session: where it was opened from.'),
  last_used_at: instant.exactOptional().describe('Of a session, to the minute.'),
});

const principal = z.strictObject({
  principal_id: z.string(),
  name: z.string(),
  kind,
  permissions: permissionsView,
  grants: z
    .array(z.strictObject({ role: z.string(), scope: z.string() }))
    .exactOptional()
    .describe('Its roles, each in a scope; `permissions` has what they give as well.'),
  brand_domain: z.string().exactOptional(),
  transitional: z.boolean(),
  legacy: z.boolean(),
  created_at: instant,
  revoked_at: instant.exactOptional(),
  held_by: z
    .array(z.string())
    .exactOptional()
    .describe(
      'Names of principals that made it or were given a credential of it. For a decision that needs another person, ' +
        'they count as the same person as it.',
    ),
  email: z
    .string()
    .exactOptional()
    .describe('Of a person: the address that it signs in with, or has proved to be its own.'),
  sign_in: z
    .enum(['passkey', 'code', 'provider', 'password', 'link'])
    .exactOptional()
    .describe(
      'Of a person: the strongest way to sign in that it has set up. code: a password and a code of an app. ' +
        'link: none, so that a link of a colleague lets it in.',
    ),
  tokens: z.array(token),
  identities: z.array(identity),
});

/** A principal, with its new secret if one was made. */
const newPrincipal = z.strictObject({
  ...principal.shape,
  ...shownCredential.partial().shape,
  ...aloneMember,
});

type PrincipalView = Immutable<z.output<typeof principal>>;

const example = {
  principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  name: 'nova',
  kind: 'brand',
  permissions: { products: ['read'], media_buys: ['read', 'write'] },
  brand_domain: 'nova.example',
  transitional: false,
  legacy: false,
  created_at: '2026-11-21T12:00:00.000Z',
  tokens: [],
  identities: [],
} as const;

const route = routesOn<PrincipalsDeps>();

/**
 * Principals. Nobody can make or change a principal with more permissions than their own: otherwise write access to
 * principals would give all the others.
 */
export const principalRoutes = [
  route({
    method: 'get',
    path: '/v1/principals',
    id: 'list_principals',
    summary: 'Principals, by name',
    needs: 'principals.read',
    query: z.strictObject({
      principal: nameOrId.exactOptional().describe('The name or id of one.'),
      kind: kind.exactOptional(),
      role: z.string().min(1).max(63).exactOptional().describe('Those that have this role somewhere.'),
      revoked: z.enum(['true', 'false']).exactOptional(),
      ...namedSortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ principals: z.array(principal), next_cursor: nextCursor }),
    example: { principals: [example] },
    handle: async ({ setUp }, { caller, query }) => {
      const { kind, role, revoked, sort } = query;
      const filter = {
        ...reachFilter(caller, 'principals', 'read'),
        ...defined({ principal: query.principal, kind, role }),
        ...(revoked !== undefined && { isRevoked: revoked === 'true' }),
        ...(sort !== undefined && { sort }),
      };
      const scope = { organizationId: caller.organizationId };
      const page = await listPage(
        { id: 'list_principals', caller, query: { limit: 500, ...query } },
        (read) => setUp.principals(scope, { ...filter, ...read }),
        ({ record: { principal, createdAt } }) => namedKey(sort, principal.name, createdAt, principal.id),
      );
      if (!page.ok) return page;
      const { rows, next } = page.value;
      return ok({
        principals: rows.map(({ record, tokens, identities, email, signIn }) => ({
          ...viewOf(record, tokens, identities),
          ...defined({ email, sign_in: signIn }),
        })),
        ...next,
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/principals',
    id: 'add_principal',
    showsOnce: true,
    summary: 'Create a principal, with no more permissions than you have',
    needs: 'principals.write',
    body: principalRequest,
    bodyExample: { name: 'agency', kind: 'buyer', agent_url: 'https://agency.example/mcp' },
    answer: newPrincipal,
    secretsTaken: ['jwks', 'jwks_uri'],
    handle: (deps, { caller, body }) => add(deps, caller, body),
  }),
  route({
    method: 'delete',
    path: '/v1/principals/{name}',
    id: 'revoke_principal',
    summary: 'Disable a principal, with all its credentials',
    needs: 'principals.delete',
    answer: z.strictObject({ principal_id: z.string(), revoked: z.boolean() }),
    handle: async ({ principals, clock }, { caller, params: { name } }) => {
      const found = await principals.findByName(caller, name);
      if (found === undefined) return err(noPrincipal);
      if (found.name === operatorName || found.id === caller.principalId) {
        const message = 'Neither you nor the operator of the data folder can be disabled: revoke a token.';
        return err({ code: 'CONFLICT', message, field: 'name' });
      }
      // One that is revoked already stays so: whoever asks again is told the same.
      await principals.disable(caller, found.id, clock.now());
      return ok({ principal_id: found.id, revoked: true });
    },
  }),
  route({
    method: 'post',
    path: '/v1/principals/{name}/restore',
    id: 'restore_principal',
    summary:
      'Switch a principal on again that was revoked, with its roles and without its old tokens and keys; if you have all its permissions',
    needs: 'principals.write',
    answer: z.strictObject({ principal_id: z.string(), restored: z.literal(true), ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, params: { name } }) => {
      const found = await deps.principals.findByName(caller, name);
      if (found === undefined) return err(noPrincipal);
      const beyond = firstBeyondPrincipal(caller, found);
      if (beyond !== undefined) return err(beyondFailure(beyond, 'name'));
      const taken = await takeControl(deps, caller, { kind: 'restore_principal', principalId: found.id });
      if ('answer' in taken) return taken.answer;
      return ok({ principal_id: found.id, restored: true as const, ...aloneOf(taken) });
    },
  }),
];

const noPrincipal: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no principal with this name.',
  field: 'name',
};

/** Stores a principal with its token, its signer and its external name in one commit, or nothing. */
async function add(
  deps: PrincipalsDeps,
  caller: PrincipalCaller,
  row: PrincipalRequest,
): Promise<Result<Immutable<z.output<typeof newPrincipal>>, AdminFailure>> {
  const permissions = row.permissions === undefined ? usualOf(row) : readPermissions(row.permissions);
  const made: Principal = {
    id: deps.newId(),
    organizationId: caller.organizationId,
    name: row.name,
    kind: row.kind,
    permissions,
    transitional: row.transitional ?? row.kind === 'person',
    legacy: row.legacy,
    ...(row.brand_domain !== undefined && { brandDomain: row.brand_domain }),
  };
  const beyond = firstBeyondPrincipal(caller, made);
  if (beyond !== undefined) return err(beyondFailure(beyond, 'permissions'));
  const grants = await draftGrants(deps, caller, made.id, row.grants ?? []);
  if (!grants.ok) return grants;
  const held = [directGrant({ principalId: made.id, permissions })];
  for (const one of grants.value) held.push(await placedGrant(deps.grants, caller, one));
  const joined = await refuseJoined(deps, caller, held, 'permissions');
  if (!joined.ok) return joined;
  const draft = signerDraft(row);
  const signer = draft && (await signerOf(deps, made.id, draft));
  if (signer?.ok === false) return signer;
  const { scheme, ttl_seconds: ttlSeconds } = row;
  const credential =
    scheme === 'none'
      ? undefined
      : newCredential(deps, made.id, { scheme, label: `made by ${caller.name}`, ttlSeconds });
  const named = row.identity && (await identityOf(deps, made.id, row.identity, 'identity.'));
  if (named?.ok === false) return named;
  const createdAt = deps.clock.now();
  const enrolment = {
    principal: made,
    heldBy: caller.principalId,
    ...(credential && { token: credential.record }),
    ...(signer && { signer: signer.value }),
    ...(named && { identity: named.value }),
    grants: grants.value,
  };
  if (!(await deps.principals.enrol(caller, enrolment, createdAt)))
    return err(await whatIsTaken(deps, caller, row));
  const tokens = credential ? [credential.record] : [];
  const names = named ? [named.value] : [];
  const stored = await deps.principals.find(caller, made.id);
  const record = { principal: stored ?? made, createdAt, heldBy: [caller.name] };
  return ok({ ...viewOf(record, tokens, names), ...credential?.shown, ...aloneOf(joined.value) });
}

/** Default permissions. Those of people and services with roles are in the roles. An agent acts for itself as well. */
function usualOf({ kind, grants }: PrincipalRequest): Permissions {
  const hasRolesAlone = grants !== undefined && (kind === 'person' || kind === 'service');
  return hasRolesAlone ? {} : usualPermissions[kind];
}

async function draftGrants(
  deps: PrincipalsDeps,
  caller: PrincipalCaller,
  principalId: string,
  rows: NonNullable<PrincipalRequest['grants']>,
): Promise<Result<readonly GrantRecord[], AdminFailure>> {
  const drafts: GrantRecord[] = [];
  for (const [at, row] of rows.entries()) {
    const drafted = await draftGrant(deps, caller, { principalId, ...row }, `grants[${at}].`);
    if (!drafted.ok) return drafted;
    drafts.push(drafted.value);
  }
  return ok(drafts);
}

/** The reason why nothing was stored: the principal's name or the external name is taken. */
async function whatIsTaken(
  { principals }: PrincipalsDeps,
  caller: PrincipalCaller,
  { name, identity: wanted }: PrincipalRequest,
): Promise<AdminFailure> {
  if (wanted !== undefined && (await principals.findByName(caller, name)) === undefined)
    return nameTaken('identity.subject');
  return { code: 'CONFLICT', message: `A principal called ${name} already exists.`, field: 'name' };
}

/** The agent that signs as the principal, if keys came with it. */
function signerDraft(row: PrincipalRequest): SignerDraft | undefined {
  const { jwks_uri: jwksUri, jwks } = row;
  if (jwksUri === undefined && jwks === undefined) return undefined;
  return {
    agent_url: row.agent_url ?? agentUrlOf(row.brand_domain, jwksUri),
    dialect: row.dialect,
    allows_rsa_pss: row.allows_rsa_pss,
    ...defined({ jwks_uri: jwksUri, jwks }),
  };
}

/** The default name of a signer in records: the site of its brand, or the site of its keys. */
function agentUrlOf(brandDomain: string | undefined, jwksUri: string | undefined): string {
  if (brandDomain !== undefined) return `https://${brandDomain}/`;
  return jwksUri === undefined ? 'urn:switchyard:agent' : `${new URL(jwksUri).origin}/`;
}

/** A principal with its tokens and identities, selected from those of the organization. */
function viewOf(
  { principal: record, createdAt, disabledAt, heldBy = [] }: PrincipalRecord,
  tokens: readonly TokenRecord[],
  identities: readonly VouchedIdentity[],
): PrincipalView {
  const { id, brandDomain } = record;
  return {
    principal_id: id,
    name: record.name,
    kind: record.kind,
    permissions: record.permissions,
    ...(record.grants && { grants: rolesOf(record.grants) }),
    ...(brandDomain !== undefined && { brand_domain: brandDomain }),
    transitional: record.transitional,
    legacy: record.legacy,
    created_at: isoOf(createdAt),
    ...(disabledAt !== undefined && { revoked_at: isoOf(disabledAt) }),
    ...(heldBy.length > 0 && { held_by: [...heldBy] }),
    tokens: tokens.filter((tokenRecord) => tokenRecord.principalId === id).map(tokenView),
    identities: identities.filter((vouchedIdentity) => vouchedIdentity.principalId === id).map(identityView),
  };
}

function rolesOf(grants: readonly Grant[]) {
  return grants.flatMap(({ role, scope }) => (role === undefined ? [] : [{ role, scope: textOf(scope) }]));
}

function tokenView(record: TokenRecord) {
  const { id, scheme, label, permissions, createdAt, expiresAt, device, address, lastUsedAt } = record;
  return {
    token_id: id,
    scheme,
    label,
    ...(permissions !== undefined && { permissions }),
    created_at: isoOf(createdAt),
    expires_at: isoOf(expiresAt),
    ...defined({ device, address }),
    ...(lastUsedAt !== undefined && { last_used_at: isoOf(lastUsedAt) }),
  };
}
