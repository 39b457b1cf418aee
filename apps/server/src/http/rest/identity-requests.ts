import { isJsonObject, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { SignerDraft } from '../../tasks/ports/identity.js';

export const address = z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).max(2048);
export const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,99}$/, 'has to be 1 to 100 plain characters');

export const keySet = z.looseObject({
  keys: z
    .array(z.looseObject({ kid: z.string().min(1).max(512) }))
    .min(1)
    .max(50),
});

export const rotateKeySchema = z.strictObject({
  principal: name.optional(),
  kms_key_id: z.string().min(1).max(2048).optional(),
});

export const signerSchema = z
  .strictObject({
    agent_url: address,
    jwks_uri: address.optional(),
    jwks: keySet.optional(),
    protocol: z.enum(['mcp', 'a2a']).optional(),
    dialect: z.enum(['ads', 'adcp']).default('ads'),
    allows_rsa_pss: z.boolean().default(false),
  })
  .refine((row) => row.jwks_uri === undefined || row.jwks === undefined, {
    error: 'has to be one of jwks_uri and jwks, or neither: then the agent is asked where its keys are',
    path: ['jwks_uri'],
  })
  .refine((row) => row.protocol === undefined || (row.jwks_uri === undefined && row.jwks === undefined), {
    error: 'is how the agent is asked for its keys: leave it out where they are named',
    path: ['protocol'],
  });

export function signerDraft(row: z.infer<typeof signerSchema>): SignerDraft {
  const jwks: unknown = row.jwks;
  return {
    agentUrl: row.agent_url,
    dialect: row.dialect,
    allowsRsaPss: row.allows_rsa_pss,
    ...(row.jwks_uri === undefined ? {} : { jwksUri: row.jwks_uri }),
    ...(row.protocol === undefined ? {} : { protocol: row.protocol }),
    ...(isJsonObject(jwks) ? { jwks: jwks satisfies JsonObject } : {}),
  };
}
