import { type AccountRef, settingForms, slugPattern } from '@switchyard/protocol';
import { z } from 'zod';
import type { SellerDraft } from '../platform/failure.js';
import { httpAddress, secretOf, sellerProtocol, tokenText } from '../platform/routes/fields.js';

export const accountRequest = z.union([
  z.string().min(1).max(200),
  z.strictObject({ account_id: z.string().min(1).max(200) }),
  z.strictObject({
    brand: z.strictObject({ domain: z.string().min(1), brand_id: z.string().min(1).optional() }),
    operator: z.string().min(1),
    sandbox: z.boolean().optional(),
  }),
]);

export const sellerRequest = z
  .strictObject({
    slug: z.string().regex(slugPattern, 'must be 1 to 63 of a-z, 0-9 and -, not beginning with -'),
    agent_url: httpAddress,
    protocol: sellerProtocol,
    dialect: z.enum(['ads', 'adcp']),
    form: z.enum(settingForms).optional(),
    token: tokenText.optional(),
    token_scheme: z
      .enum(['bearer', 'basic'])
      .optional()
      .describe(
        'How the seller takes it: as a bearer token, or, where it gave out a pair, as NAME:PASSWORD.',
      ),
    account: accountRequest.optional(),
    jwks_uri: httpAddress.optional(),
    brand_json_url: httpAddress.optional(),
    legacy_webhooks: z.enum(['hmac-sha256', 'bearer']).optional(),
    relay_signature: z
      .boolean()
      .optional()
      .describe('It wants the signature of the relay as well: sealed requests are refused.'),
  })
  .refine((row) => row.token_scheme === undefined || row.token !== undefined, {
    error: 'is about a token: send one',
    path: ['token_scheme'],
  })
  .refine((row) => row.token_scheme !== 'basic' || /^[^:]+:./s.test(row.token ?? ''), {
    error: 'must be NAME:PASSWORD',
    path: ['token'],
  });

export function draftOf(row: z.output<typeof sellerRequest>): SellerDraft {
  return {
    slug: row.slug,
    agentUrl: row.agent_url,
    protocol: row.protocol,
    dialect: row.dialect,
    ...(row.form ? { form: row.form } : {}),
    ...(row.token === undefined ? {} : { token: secretOf(row.token) }),
    ...(row.token_scheme === undefined ? {} : { tokenScheme: row.token_scheme }),
    ...(row.account === undefined ? {} : { account: accountRef(row.account) }),
    ...(row.jwks_uri === undefined ? {} : { jwksUri: row.jwks_uri }),
    ...(row.brand_json_url === undefined ? {} : { brandJsonUrl: row.brand_json_url }),
    ...(row.relay_signature === undefined ? {} : { wantsRelaySignature: row.relay_signature }),
    ...(row.legacy_webhooks === undefined ? {} : { legacyWebhooks: row.legacy_webhooks }),
  };
}

export function accountRef(account: z.output<typeof accountRequest>): AccountRef {
  if (typeof account === 'string') return { accountId: account };
  if ('account_id' in account) return { accountId: account.account_id };
  const { domain, brand_id: brandId } = account.brand;
  return {
    brand: { domain, ...(brandId === undefined ? {} : { brandId }) },
    operator: account.operator,
    ...(account.sandbox === undefined ? {} : { sandbox: account.sandbox }),
  };
}
