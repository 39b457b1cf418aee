import type { RegisteredSigner, RequestSigner, SignerDirectory, SignerKeys } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import type { principal_signerModel } from '../generated/models.js';
import { recordHolder } from '../tenancy/one-person.js';
import { principalOf, rolesOf, type HolderRow } from '../tenancy/principal-row.js';
import type { Prisma } from '../generated/client.js';

type SignerColumns = Pick<
  principal_signerModel,
  | 'agent_url'
  | 'jwks_uri'
  | 'jwks'
  | 'agent_protocol'
  | 'found_jwks_uri'
  | 'dialect'
  | 'allows_rsa_pss'
  | 'created_at'
  | 'proved_keys'
>;
type RegisteredRow = HolderRow & SignerColumns & { readonly signer_id: string };

/** Agents that sign as our principals. */
export function signerDirectory(store: Store): SignerDirectory {
  return {
    all: async () => {
      const { rows } = await run<RegisteredRow>(store.pool, {
        name: 'signer_holders',
        text: 'select * from signer_holders()',
      });
      return rows.map(registeredOf);
    },
    find: (scope, id) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<RegisteredRow>({
          name: 'registered_signer',
          text:
            'select s.id as signer_id, s.agent_url, s.jwks_uri, s.jwks, s.agent_protocol, s.found_jwks_uri, ' +
            `s.dialect, s.allows_rsa_pss, s.proved_keys, p.*, ${rolesOf} ` +
            'from principal_signer s join principal p on p.id = s.principal_id ' +
            'where s.id = $1 and s.removed_at is null and p.disabled_at is null',
          values: [id],
        });
        return rows.map(registeredOf)[0];
      }),
    add: (scope, signer, heldBy) =>
      store.inTenantModels(scope, async ({ principal, principal_signer }) => {
        await principal_signer.create({ data: signerRow(scope.organizationId, signer) });
        await recordHolder(principal, signer.principalId, heldBy);
      }),
    prove: (scope, id, thumbprint) =>
      store.inTenant(scope, async (client) => {
        // Keeps only the newest: a signer that changes its key often no longer needs older ones.
        await client.query(
          `update principal_signer set proved_keys = (array[$2::text] || proved_keys)[1:16]
           where id = $1 and not proved_keys @> array[$2::text]`,
          [id, thumbprint],
        );
      }),
    storeKeySet: (scope, id, { jwksUri, known }) =>
      store.inTenantModels(scope, async ({ principal_signer }) => {
        const where = {
          id,
          removed_at: null,
          agent_protocol: { not: null },
          found_jwks_uri: known ?? null,
        };
        return (await principal_signer.updateMany({ where, data: { found_jwks_uri: jwksUri } })).count > 0;
      }),
    remove: (scope, id, at) =>
      store.inTenantModels(scope, async ({ principal_signer }) => {
        const where = { id, removed_at: null };
        return (await principal_signer.updateMany({ where, data: { removed_at: new Date(at) } })).count > 0;
      }),
  };
}

function registeredOf(row: RegisteredRow): RegisteredSigner {
  return {
    ...signerOf(row.signer_id, row.id, row),
    principal: principalOf(row),
    provedKeys: row.proved_keys,
  };
}

/** A signer from its row, without its creation time. */
export function signerOf(
  id: string,
  principalId: string,
  row: SignerColumns,
): Omit<RequestSigner, 'createdAt'> {
  return {
    id,
    principalId,
    agentUrl: row.agent_url,
    keys: keysOf(row),
    dialect: row.dialect === 'adcp' ? 'adcp' : 'ads',
    allowsRsaPss: row.allows_rsa_pss,
  };
}

function keysOf(row: SignerColumns): SignerKeys {
  if (row.jwks_uri !== null) return { kind: 'address', jwksUri: row.jwks_uri };
  if (row.agent_protocol !== null) {
    const { found_jwks_uri: found } = row;
    return {
      kind: 'discovered',
      protocol: row.agent_protocol === 'a2a' ? 'a2a' : 'mcp',
      ...(found === null ? {} : { foundJwksUri: found }),
    };
  }
  const jwks: unknown = row.jwks;
  return { kind: 'document', jwks: isJsonObject(jwks) ? jwks : { keys: [] } };
}

export function signerRow(
  organizationId: string,
  signer: RequestSigner,
): Prisma.principal_signerUncheckedCreateInput {
  return {
    id: signer.id,
    organization_id: organizationId,
    principal_id: signer.principalId,
    agent_url: signer.agentUrl,
    jwks_uri: signer.keys.kind === 'address' ? signer.keys.jwksUri : null,
    ...(signer.keys.kind === 'document' ? { jwks: signer.keys.jwks } : {}),
    ...(signer.keys.kind === 'discovered'
      ? { agent_protocol: signer.keys.protocol, found_jwks_uri: signer.keys.foundJwksUri ?? null }
      : {}),
    dialect: signer.dialect,
    allows_rsa_pss: signer.allowsRsaPss,
    created_at: new Date(signer.createdAt),
  };
}
