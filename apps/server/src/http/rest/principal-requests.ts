import { permissionTable, readPermissions } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import { z } from 'zod';
import type {
  IdentityDraft,
  PrincipalDraft,
  RotateRequest,
  TokenDraft,
} from '../../tasks/ports/principals.js';
import { address, keySet, name } from './identity-requests.js';

/** The longest that a token may live: a year, in seconds. */
const longestSeconds = 366 * 24 * 3600;

const permissions = z.strictObject(
  Object.fromEntries(
    Object.entries(permissionTable).map(([area, kinds]) => [
      area,
      z.array(z.enum([...kinds] as [string, ...string[]])).optional(),
    ]),
  ),
);
const ttl = z.int().min(1).max(longestSeconds).optional();
const domain = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i,
    'has to be a domain',
  )
  .transform((text) => text.toLowerCase());

export const identitySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('jwt'),
    issuer: address,
    subject: z.string().min(1).max(1024),
    proof: z.string().min(1).max(16_384).optional(),
  }),
  z.strictObject({
    kind: z.literal('certificate'),
    subject: z
      .string()
      .max(2048)
      .regex(/^(?:dns|uri|email|subject):\S.*$/, 'has to begin with dns:, uri:, email: or subject:'),
  }),
]);

export const principalSchema = z
  .strictObject({
    name,
    kind: z.enum(['buyer', 'brand', 'person', 'service']),
    permissions: permissions.optional(),
    brand_domain: domain.optional(),
    transitional: z.boolean().default(false),
    legacy: z.boolean().default(false),
    jwks_uri: address.optional(),
    jwks: keySet.optional(),
    agent_url: address.optional(),
    dialect: z.enum(['ads', 'adcp']).default('ads'),
    allows_rsa_pss: z.boolean().default(false),
    identity: identitySchema.optional(),
    scheme: z.enum(['bearer', 'basic', 'none']).default('bearer'),
    ttl_seconds: ttl,
  })
  .refine((row) => row.jwks_uri === undefined || row.jwks === undefined, {
    error: 'has to be one of jwks_uri and jwks',
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
  .refine((row) => row.kind !== 'service' || row.permissions !== undefined, {
    error: 'has to be named: a service key may do what it is given and no more',
    path: ['permissions'],
  });

export const principalTokenSchema = z.strictObject({
  permissions: permissions.optional(),
  scheme: z.enum(['bearer', 'basic']).default('bearer'),
  ttl_seconds: ttl,
});

export const rotateTokenSchema = z.strictObject({
  token_id: z.uuid().optional(),
  overlap_seconds: z
    .int()
    .min(0)
    .max(30 * 24 * 3600)
    .default(24 * 3600),
  ttl_seconds: ttl,
});

export function principalDraft(row: z.infer<typeof principalSchema>): PrincipalDraft {
  const {
    name: called,
    kind,
    transitional,
    legacy,
    scheme,
    jwks_uri: jwksUri,
    brand_domain: brandDomain,
  } = row;
  const jwks: unknown = row.jwks;
  const signs = jwksUri !== undefined || jwks !== undefined;
  return {
    name: called,
    kind,
    transitional,
    legacy,
    scheme,
    ...(row.permissions === undefined ? {} : { permissions: readPermissions(row.permissions) }),
    ...(brandDomain === undefined ? {} : { brandDomain }),
    ...(row.ttl_seconds === undefined ? {} : { ttlSeconds: row.ttl_seconds }),
    ...(row.identity === undefined ? {} : { identity: identityDraft(row.identity) }),
    ...(signs
      ? {
          signer: {
            agentUrl: row.agent_url ?? agentUrlOf(brandDomain, jwksUri),
            dialect: row.dialect,
            allowsRsaPss: row.allows_rsa_pss,
            ...(jwksUri === undefined ? {} : { jwksUri }),
            ...(isJsonObject(jwks) ? { jwks } : {}),
          },
        }
      : {}),
  };
}

/** What a signer is called in records when nobody said: its brand's site, or the site its keys are on. */
function agentUrlOf(brandDomain: string | undefined, jwksUri: string | undefined): string {
  if (brandDomain !== undefined) return `https://${brandDomain}/`;
  return jwksUri === undefined ? 'urn:switchyard:agent' : `${new URL(jwksUri).origin}/`;
}

export function tokenDraft(row: z.infer<typeof principalTokenSchema>): TokenDraft {
  return {
    scheme: row.scheme,
    ...(row.permissions === undefined ? {} : { permissions: readPermissions(row.permissions) }),
    ...(row.ttl_seconds === undefined ? {} : { ttlSeconds: row.ttl_seconds }),
  };
}

export function rotateRequest(row: z.infer<typeof rotateTokenSchema>): RotateRequest {
  return {
    overlapSeconds: row.overlap_seconds,
    ...(row.token_id === undefined ? {} : { tokenId: row.token_id }),
    ...(row.ttl_seconds === undefined ? {} : { ttlSeconds: row.ttl_seconds }),
  };
}

export function identityDraft(row: z.infer<typeof identitySchema>): IdentityDraft {
  if (row.kind === 'certificate') return { kind: row.kind, issuer: '', subject: row.subject };
  const { kind, issuer, subject, proof } = row;
  return { kind, issuer, subject, ...(proof === undefined ? {} : { proof }) };
}
