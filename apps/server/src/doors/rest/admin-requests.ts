import { slugPattern, type AccountRef } from '@switchyard/protocol';
import { err, ok, Secret, type JsonValue, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { SellerDraft } from '../../application/admin.js';
import type { DoorFault } from '../door-answer.js';

/** The requests of the administrative routes: one schema each gives the check, the type and the OpenAPI text. */
const address = z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).max(2048);

const accountSchema = z.union([
  z.string().min(1).max(200),
  z.strictObject({ account_id: z.string().min(1).max(200) }),
  z.strictObject({
    brand: z.strictObject({ domain: z.string().min(1), brand_id: z.string().min(1).optional() }),
    operator: z.string().min(1),
    sandbox: z.boolean().optional(),
  }),
]);

export const sellerSchema = z
  .strictObject({
    slug: z.string().regex(slugPattern, 'has to be 1 to 63 of a-z, 0-9 and -, not beginning with -'),
    agent_url: address,
    protocol: z.enum(['mcp', 'a2a']),
    dialect: z.enum(['ads', 'adcp']),
    form: z.enum(['auto', 'service', '2.5', '3.0', '3.1']).optional(),
    token: z.string().min(1).max(8192).optional(),
    token_scheme: z
      .enum(['bearer', 'basic'])
      .optional()
      .describe(
        'How the seller takes it: as a bearer token, or, where it gave out a pair, as NAME:PASSWORD.',
      ),
    account: accountSchema.optional(),
    jwks_uri: address.optional(),
    brand_json_url: address.optional(),
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
    error: 'has to be NAME:PASSWORD',
    path: ['token'],
  });

export const importSchema = z.array(sellerSchema).min(1).max(10_000);
/** What a person found out of a leg; its seller's own id where something was made. */
export const settleSchema = z.strictObject({
  outcome: z.enum(['made', 'not-made']),
  seller_buy: z.string().min(1).max(1_000).optional(),
  reason: z.string().min(1).max(2_000),
});
export const rotateSchema = z.strictObject({ secret: z.string().min(1).max(8192) });
export const tokenSchema = z.strictObject({
  ttl_seconds: z
    .int()
    .min(1)
    .max(31 * 24 * 3600)
    .optional(),
  principal: z.string().min(1).max(200).optional(),
});

/** Checks a body against a schema; the first thing wrong with it is named by its path. */
export function readRequest<T>(schema: z.ZodType<T>, body: JsonValue): Result<T, DoorFault> {
  const read = schema.safeParse(body);
  if (read.success) return ok(read.data);
  const issue = read.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const field = path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${String(step)}` : String(step),
    '',
  );
  return err({
    code: 'VALIDATION_ERROR',
    message: issue?.message ?? 'The request is not of the right form.',
    ...(field ? { field } : {}),
    suggestion: 'The form of every request is in /openapi.json.',
  });
}

export function sellerDraft(row: z.infer<typeof sellerSchema>): SellerDraft {
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

export function secretOf(text: string): Secret {
  return new Secret(Buffer.from(text, 'utf8'));
}

function accountRef(account: z.infer<typeof accountSchema>): AccountRef {
  if (typeof account === 'string') return { accountId: account };
  if ('account_id' in account) return { accountId: account.account_id };
  const { domain, brand_id: brandId } = account.brand;
  return {
    brand: { domain, ...(brandId === undefined ? {} : { brandId }) },
    operator: account.operator,
    ...(account.sandbox === undefined ? {} : { sandbox: account.sandbox }),
  };
}

export const verifyQuerySchema = z.strictObject({ from_start: z.enum(['true', 'false']).optional() });
