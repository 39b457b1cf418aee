import { throughLogin, type Connection, type ConnectionDirectory } from '@switchyard/sellers';
import type { SetUpLists } from '@switchyard/store';
import { defined, err, isoOf, ok, type Instant, type Result } from '@switchyard/values';
import type { TenantScope } from '@switchyard/tenancy';
import {
  destinationOf,
  type CredentialMetadata,
  type CredentialVersion,
  type Vault,
} from '@switchyard/vault';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { certificateIn, type CertificateDeps } from './gate/client-certificate.js';
import { moveSeals, type MoveSealsDeps } from './move-seals.js';
import type { InspectDeps } from './onboarding/inspect-seller.js';
import type { RenewDeps } from './oauth/renew-token.js';
import { proveClientSecret } from './oauth/rotate-client-secret.js';
import { provesCredential } from './onboarding/proves-credential.js';
import { instant, moment, secretOf, tokenText } from '../platform/routes/fields.js';
import { madeSortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';

export interface CredentialsDeps extends InspectDeps, CertificateDeps {
  readonly connections: ConnectionDirectory;
  readonly vault: Vault;
  readonly setUp: Pick<SetUpLists, 'credentials'>;
  readonly moveSeals: MoveSealsDeps;
  readonly signIns: RenewDeps;
}

/** A credential without its secret. */
export const credentialView = z.strictObject({
  credential_id: z.string(),
  version: z.int(),
  kind: z.string(),
  scheme: z.string(),
  seller: z.string().exactOptional(),
  client_id: z.string().exactOptional().describe('Of a login that one client alone uses: that client.'),
  destination: z
    .string()
    .exactOptional()
    .describe('Origin that the secret is sealed for: it is sent nowhere else.'),
  kms_key_id: z.string().describe('The master key that wraps its data key.'),
  created_at: instant,
  rewrapped_at: instant.exactOptional(),
  last_used_at: instant.exactOptional(),
  retires_at: instant
    .exactOptional()
    .describe('Of a version that a rotation left beside the new one: when it is revoked by itself.'),
  ends_at: instant
    .exactOptional()
    .describe(
      'When whoever gave it ends it, as told or entered. The members of the organization are told 30, 7 and 1 days before.',
    ),
  says: z.string().describe('What it does now and what is to be done, in one sentence.'),
  last_error: z
    .strictObject({ at: instant, code: z.enum(['http_401', 'http_403']) })
    .exactOptional()
    .describe('The last refusal by the seller; gone once the seller takes the credential.'),
  state: z
    .enum(['candidate', 'current', 'fallback', 'refused'])
    .describe(
      'candidate: new, and not confirmed by its seller yet. fallback: the version before, while it lives. refused: its seller did not take it.',
    ),
  uses: z.int().describe('Calls that the seller answered with this version.'),
  refusals: z.int().describe('Calls that it refused because of this version.'),
  can_rotate: z
    .boolean()
    .describe(
      'Whether `rotate` and `revoke` take it: true for what proves us to a seller or to its authorization server (bearer, basic, client_cert, oauth_client). Other kinds belong to a signing key, a webhook or a caller and are replaced with it.',
    ),
  seller_check: z
    .strictObject({ ok: z.boolean(), reason: z.string().exactOptional() })
    .exactOptional()
    .describe('Whether the seller answers to it, found out right after a rotation.'),
});
type CredentialView = z.output<typeof credentialView>;

const example = {
  credential_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  version: 2,
  kind: 'bearer',
  scheme: 'bearer',
  seller: 'acme',
  destination: 'https://acme.example',
  kms_key_id: 'local:1',
  created_at: '2026-11-21T12:00:00.000Z',
  state: 'current',
  uses: 412,
  refusals: 0,
  says: 'The seller takes it.',
  can_rotate: true,
} as const;

/** How long the version before is there to go back to, in milliseconds. */
const usualOverlapMs = 15 * 60_000;

const route = routesOn<CredentialsDeps>();

/** Credentials of sellers. No answer holds a secret. */
export const credentialRoutes = [
  route({
    method: 'get',
    path: '/v1/credentials',
    id: 'list_credentials',
    summary: 'Credentials, without secrets',
    needs: 'sellers.read',
    query: z.strictObject({
      seller: z.string().min(1).max(63).exactOptional(),
      kind: z.string().min(1).max(63).exactOptional().describe('For example bearer, basic or webhook.'),
      has_error: z
        .enum(['true', 'false'])
        .exactOptional()
        .describe('true: those that their seller refused when they were last used.'),
      retires_before: moment
        .exactOptional()
        .describe('Only versions that a rotation left and that are revoked by themselves before this time.'),
      ...madeSortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ credentials: z.array(credentialView), next_cursor: nextCursor }),
    example: { credentials: [example] },
    handle: async (deps, { caller, query }) => {
      const { setUp } = deps;
      const { seller, kind, has_error: hasError, retires_before: retires, sort } = query;
      const filter = {
        ...defined({ seller, kind }),
        ...(hasError !== undefined && { hasError: hasError === 'true' }),
        ...defined({ retiresBefore: retires, sort }),
      };
      const page = await listPage(
        { id: 'list_credentials', caller, query: { limit: 500, ...query } },
        (read) => setUp.credentials(scopeOf(caller), { ...filter, ...read }),
        ({ createdAt, credentialId, version }) => [createdAt, credentialId, version],
      );
      return page.ok
        ? ok({ credentials: page.value.rows.map((row) => viewOf(row, deps.clock.now())), ...page.value.next })
        : page;
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/{id}/rotate',
    id: 'rotate_credential',
    summary:
      'Try a new secret of a credential: it replaces the old one once the seller takes it, and else changes nothing',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({
      secret: z
        .string()
        .min(1)
        .max(65_536)
        .describe('At most 8192 characters; a client certificate with its chain and key may have 65536.'),
      overlap_seconds: z
        .int()
        .min(0)
        .max(7 * 86_400)
        .exactOptional()
        .describe(
          'How long the old version stands beside the new one, to go back to; 15 minutes unless set.',
        ),
    }),
    secretsTaken: ['secret'],
    answer: credentialView,
    example: { ...example, seller_check: { ok: true } },
    handle: (deps, { caller, params, body }) =>
      rotate(deps, caller, params.id, {
        text: body.secret,
        overlapMs: body.overlap_seconds === undefined ? usualOverlapMs : body.overlap_seconds * 1_000,
      }),
  }),
  route({
    method: 'post',
    path: '/v1/credentials/{id}/rollback',
    id: 'roll_back_credential',
    summary: 'Go back to the version of a credential before the current one, while it lives',
    needs: 'sellers.write',
    byPerson: true,
    answer: credentialView,
    example,
    handle: (deps, { caller, params }) => rollBack(deps, caller, params.id),
  }),
  route({
    method: 'post',
    path: '/v1/credentials/{id}/ends',
    id: 'set_end_of_credential',
    summary:
      'Enter the day on which a credential ends at its seller, so that it is told before; null: nobody knows it',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({
      on: z.iso.date().nullable().describe('The last day on which the seller takes it, UTC.'),
    }),
    answer: credentialView,
    example: {
      ...example,
      ends_at: '2027-01-31T23:59:59.000Z',
      says: 'The seller takes it until 2027-01-31.',
    },
    handle: (deps, { caller, params, body }) => setEnd(deps, caller, params.id, body.on),
  }),
  route({
    method: 'post',
    path: '/v1/credentials/{id}/revoke',
    id: 'revoke_credential',
    summary: 'Revoke a credential with all its versions: it is not used any more',
    needs: 'sellers.delete',
    answer: z.strictObject({ credential_id: z.string(), revoked: z.int().describe('How many versions.') }),
    example: { credential_id: example.credential_id, revoked: 1 },
    handle: (deps, { caller, params }) => revoke(deps, caller, params.id),
  }),
  route({
    method: 'post',
    path: '/v1/credentials/rewrap',
    id: 'rewrap_credentials',
    summary:
      'Wrap data keys with another master key: of the whole installation with its admin secret, else of your own organization with the key in use',
    needs: 'sellers.approve',
    takesAdminSecret: true,
    body: z.strictObject({
      to: z
        .string()
        .min(1)
        .max(2048)
        .exactOptional()
        .describe('The key that wraps from now on. Without it: the one that the settings name.'),
    }),
    answer: z.strictObject({
      rewrapped: z.int(),
      kms_key_id: z.string(),
      left: z.int().describe('Records that are still under other keys. Call again until it is 0.'),
      under: z
        .array(z.strictObject({ kms_key_id: z.string(), records: z.int() }))
        .exactOptional()
        .describe('With the admin secret: how many records are under which key.'),
    }),
    example: {
      rewrapped: 3,
      kms_key_id: 'local:2',
      left: 0,
      under: [{ kms_key_id: 'local:2', records: 3 }],
    },
    handle: (deps, { caller, body }) =>
      caller === 'local' ? rewrapEverything(deps, body.to) : rewrapOwn(deps, caller, body.to),
  }),
];

async function rewrapEverything({ moveSeals: deps }: CredentialsDeps, to: string | undefined) {
  const moved = await moveSeals(deps, to);
  if (!moved.ok) return moved;
  const { rewrapped, keyId, left, under } = moved.value;
  return ok({
    rewrapped,
    kms_key_id: keyId,
    left,
    under: [...under].map(([id, records]) => ({ kms_key_id: id, records })),
  });
}

/** Which key wraps is decided for the whole installation, so a member of one organization follows. */
async function rewrapOwn(
  { moveSeals: { keys, vault } }: CredentialsDeps,
  caller: PrincipalCaller,
  to: string | undefined,
): Promise<Result<{ rewrapped: number; kms_key_id: string; left: number }, AdminFailure>> {
  const unavailable = err({ code: 'UNAVAILABLE' as const, message: 'The key service does not answer.' });
  const current = await keys.refresh();
  if (!current.ok) return unavailable;
  if (to !== undefined && to !== current.value)
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message: `The installation wraps with ${current.value}. Only its operator chooses another key.`,
      field: 'to',
    });
  const report = await vault.rewrapAll(scopeOf(caller));
  if (!report.ok) return unavailable;
  const { rewrapped, failed } = report.value;
  return ok({ rewrapped, kms_key_id: current.value, left: failed.length });
}

async function rotate(
  deps: CredentialsDeps,
  caller: PrincipalCaller,
  credentialId: string,
  { text, overlapMs }: { readonly text: string; readonly overlapMs: number },
): Promise<Result<CredentialView, AdminFailure>> {
  const scope = scopeOf(caller);
  const listed = await deps.vault.list(scope);
  const known = listed.ok
    ? listed.value.find((credential) => credential.credentialId === credentialId)
    : undefined;
  if (known === undefined || !canRotate(known)) return err(refusalOf(known, deps.clock.now()));
  const isCertificate = known.kind === 'client_cert';
  const read = await certificateIn(deps, caller, isCertificate ? text : undefined);
  if (!read.ok) return err({ ...read.error, field: 'secret' });
  const fault = isCertificate ? undefined : tokenText.safeParse(text).error;
  if (fault !== undefined)
    return err({
      code: 'INVALID_REQUEST',
      message: `It ${fault.issues[0]?.message ?? 'is no token'}.`,
      field: 'secret',
    });
  const stored =
    known.connectionId === undefined ? undefined : await deps.connections.byId(scope, known.connectionId);
  if (known.kind === 'oauth_client')
    return rotateClient(deps, scope, { credentialId, connection: stored, text, overlapMs });
  const { clientId } = known;
  const connection =
    stored && throughLogin(stored, clientId === undefined ? undefined : { clientId, credentialId });
  // Only an older record without a destination gets one; otherwise it stays unchanged.
  const destination = connection === undefined ? undefined : destinationOf(connection.agentUrl);
  const rotated = await deps.vault.rotate(scope, credentialId, secretOf(text), {
    overlapMs,
    // Without a seller to ask, nothing could ever prove it.
    ...(connection === undefined ? {} : { isTrial: true as const }),
    ...(destination === undefined ? {} : { destinationIfUnbound: destination }),
  });
  if (!rotated.ok) return err({ code: 'UNAVAILABLE', message: 'The vault could not seal the new secret.' });
  const { version } = rotated.value;
  const { tokenEndsAt } = read.value;
  if (tokenEndsAt !== undefined) await deps.vault.setEnd(scope, credentialId, tokenEndsAt);
  const check = connection === undefined ? undefined : await tryCandidate(deps, scope, connection, version);
  return shownVersion(deps, scope, { credentialId, version }, check);
}

/** The secret of our client at an authorization server: it is stored once that has given a token for it. */
async function rotateClient(
  deps: CredentialsDeps,
  scope: TenantScope,
  {
    credentialId,
    connection,
    text,
    overlapMs,
  }: {
    readonly credentialId: string;
    readonly connection: Connection | undefined;
    readonly text: string;
    readonly overlapMs: number;
  },
): Promise<Result<CredentialView, AdminFailure>> {
  const secret = secretOf(text);
  const proved =
    connection === undefined
      ? err({ words: 'No connection uses this credential.' })
      : await proveClientSecret(deps.signIns, scope, { connection, credentialId, secret });
  if (!proved.ok) {
    secret.wipe();
    const listed = await deps.vault.list(scope);
    const current = listed.ok && listed.value.find((one) => one.credentialId === credentialId);
    return current === false || current === undefined
      ? err(refusalOf(undefined, deps.clock.now()))
      : ok({ ...viewOf(current, deps.clock.now()), seller_check: { ok: false, reason: proved.error.words } });
  }
  const rotated = await deps.vault.rotate(scope, credentialId, secret, { overlapMs, isTrial: true });
  if (!rotated.ok) return err({ code: 'UNAVAILABLE', message: 'The vault could not seal the new secret.' });
  const version = { credentialId, version: rotated.value.version };
  await deps.vault.settle(scope, version, true);
  return shownVersion(deps, scope, version, { ok: true });
}

/** Asks the seller at once whether it takes a new version, and stores what it says. */
async function tryCandidate(
  deps: CredentialsDeps,
  scope: TenantScope,
  connection: Connection,
  version: number,
): Promise<NonNullable<CredentialView['seller_check']>> {
  const { credentialId } = connection;
  if (credentialId === undefined) return { ok: false, reason: 'No connection uses this credential.' };
  const use = { operationId: connection.id, purpose: 'rotate' };
  const leased = await deps.lease(scope, [connection], use);
  const credential = leased.ok ? leased.value.get(connection.id)?.credential : undefined;
  if (credential?.version !== version)
    return { ok: false, reason: 'The new secret could not be opened, so the seller was not asked.' };
  const { instead: _other, ...alone } = credential;
  const tried = await provesCredential(deps, connection, alone);
  const settle = (accepted: boolean) => deps.vault.settle(scope, { credentialId, version }, accepted);
  if (tried.kind === 'refused') await settle(false);
  if (tried.kind === 'accepted') await settle(true);
  if (tried.kind === 'accepted') return { ok: true };
  return { ok: tried.kind === 'unproved', reason: tried.reason };
}

/** The version as it is now. */
async function shownVersion(
  { vault, clock }: Pick<CredentialsDeps, 'vault' | 'clock'>,
  scope: TenantScope,
  { credentialId, version }: CredentialVersion,
  check?: CredentialView['seller_check'],
): Promise<Result<CredentialView, AdminFailure>> {
  const after = await vault.list(scope);
  const view = after.ok
    ? after.value.find((one) => one.credentialId === credentialId && one.version === version)
    : undefined;
  if (view === undefined)
    return err({ code: 'UNAVAILABLE', message: 'The credential was changed and cannot be shown.' });
  return ok({ ...viewOf(view, clock.now()), ...(check === undefined ? {} : { seller_check: check }) });
}

async function rollBack(
  deps: CredentialsDeps,
  caller: PrincipalCaller,
  credentialId: string,
): Promise<Result<CredentialView, AdminFailure>> {
  const scope = scopeOf(caller);
  const listed = await deps.vault.list(scope);
  const known = listed.ok ? listed.value.find((one) => one.credentialId === credentialId) : undefined;
  if (known === undefined || !canRotate(known)) return err(refusalOf(known, deps.clock.now()));
  const back = await deps.vault.rollBack(scope, credentialId);
  if (!back.ok) return err({ code: 'UNAVAILABLE', message: 'The vault is not writable at the moment.' });
  if (back.value === undefined)
    return err({
      code: 'CONFLICT',
      message: 'There is no earlier version that is still alive.',
      field: 'id',
      suggestion: 'Enter the secret again: switchyard credentials rotate ID',
    });
  return shownVersion(deps, scope, { credentialId, version: back.value });
}

async function revoke(
  { vault, transport, clock }: CredentialsDeps,
  caller: PrincipalCaller,
  credentialId: string,
): Promise<Result<{ readonly credential_id: string; readonly revoked: number }, AdminFailure>> {
  const scope = scopeOf(caller);
  const listed = await vault.list(scope);
  const known = listed.ok
    ? listed.value.find(
        (credential) => credential.credentialId === credentialId && isShown(credential, clock.now()),
      )
    : undefined;
  if (known === undefined || !canRotate(known)) return err(refusalOf(known, clock.now()));
  const revoked = await vault.revoke(scope, credentialId);
  if (!revoked.ok) return err({ code: 'UNAVAILABLE', message: 'The vault is not writable at the moment.' });
  if (known.connectionId !== undefined) await transport.forget(known.connectionId);
  return ok({ credential_id: credentialId, revoked: revoked.value });
}

async function setEnd(
  deps: CredentialsDeps,
  caller: PrincipalCaller,
  credentialId: string,
  on: string | null,
): Promise<Result<CredentialView, AdminFailure>> {
  const scope = scopeOf(caller);
  const listed = await deps.vault.list(scope);
  const versions = listed.ok ? listed.value.filter((one) => one.credentialId === credentialId) : [];
  const now = deps.clock.now();
  const known = versions.findLast(({ state }) => state === 'candidate' || state === 'current');
  if (known === undefined || !canRotate(known)) return err(refusalOf(known, now));
  const at = on === null ? undefined : Date.parse(`${on}T23:59:59Z`);
  if (at !== undefined && at <= now)
    return err({ code: 'INVALID_REQUEST', message: 'This day is over.', field: 'on' });
  if (!(await deps.vault.setEnd(scope, credentialId, at)))
    return err({ code: 'CONFLICT', message: 'It has ended.', field: 'id' });
  return shownVersion(deps, scope, known);
}

/** What a version does and what is to be done, in one sentence. */
function sentenceOf(
  { kind, state, endsAt, retiredAt, lastError, credentialId }: CredentialMetadata,
  now: Instant,
): string {
  const ends = Math.min(endsAt ?? Infinity, retiredAt ?? Infinity);
  const day = Number.isFinite(ends) ? isoOf(ends).slice(0, 10) : undefined;
  const rotate = `switchyard credentials rotate ${credentialId}`;
  if (state === 'candidate') return 'It is new, and the next call that needs a credential decides about it.';
  if (state === 'refused') return `The seller does not take it: enter another one: ${rotate}`;
  if (state === 'fallback')
    return `It is the one before, and can be gone back to until ${day ?? 'it is replaced'}: switchyard credentials rollback ${credentialId}`;
  if (lastError !== undefined)
    return `The seller refused it at its last use: ask the seller, or enter another one: ${rotate}`;
  if (renewed.has(kind)) return 'It is renewed by itself.';
  if (day === undefined)
    return canRotate({ kind }) && kind !== 'oauth_client' ? 'The seller takes it.' : 'It is in use.';
  if (ends - now > 30 * 86_400_000) return `The seller takes it until ${day}.`;
  return `It ends on ${day}: ask for another one, and enter it: ${rotate}`;
}

const renewed: ReadonlySet<string> = new Set(['oauth_access', 'oauth_refresh']);

/** Secrets that a seller gave us. The others are made or received with what they belong to. */
const canRotate = ({ kind }: Pick<CredentialMetadata, 'kind'>): boolean =>
  kind === 'bearer' || kind === 'basic' || kind === 'client_cert' || kind === 'oauth_client';

/** Why a credential is not rotated or revoked: the list shows some that are not. */
function refusalOf(known: CredentialMetadata | undefined, now: Instant): AdminFailure {
  if (known === undefined || !isShown(known, now))
    return { code: 'NOT_FOUND', message: 'There is no credential with this id.', field: 'id' };
  return {
    code: 'CONFLICT',
    message: `This credential is of the kind ${known.kind}: only the kinds bearer, basic, client_cert and oauth_client can be rotated and revoked here.`,
    field: 'id',
    suggestion: replacedBy[known.kind] ?? 'It is replaced together with what it belongs to.',
  };
}

const replacedBy: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['oauth_access', 'oauth_refresh'].map((kind) => [
      kind,
      'Sign in at the seller again: switchyard sellers add INPUT --slug SLUG.',
    ]),
  ),
  signing: 'Rotate the signing key with: switchyard keys rotate',
  callback: 'The caller replaces it by registering its webhook again.',
};

/** Secrets of people and of single records, which nobody manages as credentials. */
const hiddenKinds: ReadonlySet<string> = new Set(['evidence', 'factor', 'job', 'notice', 'sign_in_client']);

/** Evidence and sign-in factors are not credentials that an admin manages. */
function isShown({ kind, retiredAt }: CredentialMetadata, now: Instant): boolean {
  return (retiredAt === undefined || retiredAt > now) && !hiddenKinds.has(kind);
}

export function viewOf(known: CredentialMetadata, now: Instant): CredentialView {
  return {
    credential_id: known.credentialId,
    version: known.version,
    kind: known.kind,
    scheme: known.scheme,
    kms_key_id: known.kmsKeyId,
    created_at: isoOf(known.createdAt),
    state: known.state,
    uses: known.uses,
    refusals: known.refusals,
    says: sentenceOf(known, now),
    can_rotate: canRotate(known),
    ...defined({ seller: known.seller, client_id: known.clientId, destination: known.destination }),
    ...(known.rewrappedAt !== undefined && { rewrapped_at: isoOf(known.rewrappedAt) }),
    ...(known.endsAt !== undefined && { ends_at: isoOf(known.endsAt) }),
    ...(known.retiredAt !== undefined && { retires_at: isoOf(known.retiredAt) }),
    ...(known.lastError !== undefined && {
      last_error: {
        at: isoOf(known.lastError.at),
        code: known.lastError.code === 'http_403' ? ('http_403' as const) : ('http_401' as const),
      },
    }),
    ...(known.lastUsedAt !== undefined && { last_used_at: isoOf(known.lastUsedAt) }),
  };
}
