import type { RequestSigner } from '@switchyard/tenancy';
import type { Prisma } from '../generated/client.js';

export function signerRow(organizationId: string, signer: RequestSigner): Prisma.principal_signerCreateInput {
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
