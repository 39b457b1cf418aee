import type { ConnectionDirectory } from '@switchyard/sellers';
import { err, isoOf, ok, type Result, type Secret } from '@switchyard/values';
import { destinationOf, type CredentialMetadata, type Vault } from '@switchyard/vault';
import { z } from 'zod';
import type { AdminFailure } from '../tasks/ports/admin.js';
import type { PrincipalCaller } from '../tasks/task-call.js';
import { inspectSeller, type LookDeps } from '../composition/sellers/inspect-seller.js';
import { instant, secretOf } from './fields.js';
import { routesOn } from './route.js';

export interface CredentialsDeps extends LookDeps {
  readonly connections: ConnectionDirectory;
  readonly vault: Vault;
  readonly currentKeyId: () => string;
}

/** A credential without its secret. */
const credential = z.strictObject({
  credential_id: z.string(),
  version: z.int(),
  kind: z.string(),
  scheme: z.string(),
  seller: z.string().exactOptional(),
  destination: z
    .string()
    .exactOptional()
    .describe('Origin that the secret is sealed for: it is sent nowhere else.'),
  kms_key_id: z.string().describe('The master key that wraps its data key.'),
  created_at: instant,
  rewrapped_at: instant.exactOptional(),
  last_used_at: instant.exactOptional(),
  seller_check: z
    .strictObject({ ok: z.boolean(), reason: z.string().exactOptional() })
    .exactOptional()
    .describe('Whether the seller answers to it, found out right after a rotation.'),
});
type CredentialView = z.output<typeof credential>;

const example = {
  credential_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  version: 2,
  kind: 'bearer',
  scheme: 'bearer',
  seller: 'acme',
  destination: 'https://acme.example',
  kms_key_id: 'local:1',
  created_at: '2026-11-21T12:00:00.000Z',
};

const route = routesOn<CredentialsDeps>();

/** Credentials of sellers. No answer holds a secret. */
export const credentialRoutes = [
  route({
    method: 'get',
    path: '/v1/credentials',
    id: 'list_credentials',
    summary: 'Credentials, without secrets',
    needs: 'sellers.read',
    answer: z.strictObject({ credentials: z.array(credential) }),
    example: { credentials: [example] },
    handle: async ({ vault }, { caller }) => {
      const listed = await vault.list(scopeOf(caller));
      return ok({ credentials: listed.ok ? listed.value.filter(isShown).map(viewOf) : [] });
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/{id}/rotate',
    id: 'rotate_credential',
    summary: 'Put a new secret in the place of the old one',
    needs: 'sellers.write',
    body: z.strictObject({ secret: z.string().min(1).max(8192) }),
    secretsTaken: ['secret'],
    answer: credential,
    example: { ...example, seller_check: { ok: true } },
    handle: (deps, { caller, params, body }) => rotate(deps, caller, params.id, secretOf(body.secret)),
  }),
  route({
    method: 'post',
    path: '/v1/credentials/rewrap',
    id: 'rewrap_credentials',
    summary: 'Wrap all data keys with the newest master key',
    needs: 'sellers.approve',
    answer: z.strictObject({ rewrapped: z.int(), kms_key_id: z.string() }),
    example: { rewrapped: 3, kms_key_id: 'local:2' },
    handle: async ({ vault, currentKeyId }, { caller }) => {
      const report = await vault.rewrapAll(scopeOf(caller));
      if (!report.ok) return err({ code: 'UNAVAILABLE', message: 'The key service does not answer.' });
      return ok({ rewrapped: report.value.rewrapped, kms_key_id: currentKeyId() });
    },
  }),
];

const scopeOf = ({ organizationId }: PrincipalCaller) => ({ organizationId });

async function rotate(
  deps: CredentialsDeps,
  caller: PrincipalCaller,
  credentialId: string,
  secret: Secret,
): Promise<Result<CredentialView, AdminFailure>> {
  const scope = scopeOf(caller);
  const listed = await deps.vault.list(scope);
  const known = listed.ok ? listed.value.find((one) => one.credentialId === credentialId) : undefined;
  if (known?.kind !== 'bearer' && known?.kind !== 'basic')
    return err({ code: 'NOT_FOUND', message: 'No credential of yours has this id.', field: 'id' });
  const connection =
    known.connectionId === undefined ? undefined : await deps.connections.byId(scope, known.connectionId);
  // Of an older record that was never bound; else the destination stays what it is.
  const destination = connection === undefined ? undefined : destinationOf(connection.agentUrl);
  const rotated = await deps.vault.rotate(scope, credentialId, secret, destination);
  if (!rotated.ok) return err({ code: 'UNAVAILABLE', message: 'The vault could not seal the new secret.' });
  if (known.connectionId !== undefined) await deps.transport.forget(known.connectionId);
  const after = await deps.vault.list(scope);
  const view = after.ok
    ? after.value.find((one) => one.credentialId === credentialId && one.version === rotated.value.version)
    : undefined;
  if (view === undefined)
    return err({ code: 'UNAVAILABLE', message: 'The credential was rotated and cannot be shown.' });
  if (connection === undefined) return ok(viewOf(view));
  // A secret that the seller refuses is found out now, and not by the next buy.
  const found = await inspectSeller(deps, scope, connection);
  const check = found.ok ? { ok: true } : { ok: false, reason: found.error.message };
  return ok({ ...viewOf(view), seller_check: check });
}

/** Evidence is no credential of anybody's to look after. */
function isShown({ kind, retiredAt }: CredentialMetadata): boolean {
  return retiredAt === undefined && kind !== 'evidence';
}

function viewOf(known: CredentialMetadata): CredentialView {
  return {
    credential_id: known.credentialId,
    version: known.version,
    kind: known.kind,
    scheme: known.scheme,
    kms_key_id: known.kmsKeyId,
    created_at: isoOf(known.createdAt),
    ...(known.seller !== undefined && { seller: known.seller }),
    ...(known.destination !== undefined && { destination: known.destination }),
    ...(known.rewrappedAt !== undefined && { rewrapped_at: isoOf(known.rewrappedAt) }),
    ...(known.lastUsedAt !== undefined && { last_used_at: isoOf(known.lastUsedAt) }),
  };
}
