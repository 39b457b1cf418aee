import { isPeriod } from '@switchyard/ledger';
import { protocolPattern } from '@switchyard/sellers';
import { permissionTable } from '@switchyard/tenancy';
import { brandDomainOf, isJsonObject, readInstant, Secret, storedDomain } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../failure.js';

/** An instant in an answer, as `isoOf` writes it. */
export const instant = z
  .string()
  .refine((text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text), 'must be an instant in UTC')
  .meta({ format: 'date-time' });

/** A time in a request, as text. */
export const momentText = z
  .string()
  .max(40)
  .refine((text) => readInstant(text) !== undefined, 'must be a date, or a time with its offset (RFC 3339)');

/** A time in a query, read as an instant. */
export const moment = momentText.transform((text) => readInstant(text) ?? Number.NaN);

/** An existing day in a request. */
export const day = z.iso.date('must be a day such as 2026-11-30');

/** A month in a request. */
export const period = z.string().refine(isPeriod, 'must be a month as YYYY-MM');

/** JSON with members that another party defines. */
export const jsonObject = z.looseObject({});

/** A chain of hashes as one document that verifies by itself. Numbers are decimal text. */
export const chainDocument = z.strictObject({
  format: z.string(),
  stream: z.string(),
  organization: z
    .string()
    .describe("The organization's domain, which is a claim: the signed heads prove it."),
  keys: z
    .array(
      z.strictObject({
        sender: z.string(),
        keyid: z.string(),
        first_at: instant,
        jwk: z.record(z.string(), z.json()),
      }),
    )
    .exactOptional()
    .describe('Of the ledger: public keys of sellers that messages verified with, as they were then.'),
  anchors: z
    .array(z.strictObject({ jws: z.string(), key: z.record(z.string(), z.json()) }))
    .describe('Signed heads, the one of this export first (docs/ledger.md#anchors).'),
  head: z.strictObject({
    number: z.string(),
    hash: z.string(),
    entry_total: z.string(),
    sealed_at: instant,
  }),
  blocks: z.array(
    z.strictObject({
      number: z.string(),
      previous_hash: z.string(),
      hash: z.string(),
      sealed_at: instant,
      entries: z.array(
        z.strictObject({ body: z.string().describe('The text that was hashed.'), hash: z.string() }),
      ),
    }),
  ),
});

/** An object with members of one kind. Their number is checked first: each invalid one costs an error. */
export function recordUpTo<Key extends z.ZodString, Value extends z.ZodString>(
  most: number,
  key: Key,
  value: Value,
) {
  const counted = (members: unknown, context: z.RefinementCtx): unknown => {
    if (!isJsonObject(members) || Object.keys(members).length <= most) return members;
    context.addIssue(`must have at most ${most} members`);
    return z.NEVER;
  };
  return z.preprocess(counted, z.record(key, value));
}

/** The number of rows that a caller requests, as text of a query: a whole number from 1 to `most`. */
export function limitUpTo(most: number) {
  const wrong = `must be a number from 1 to ${most}`;
  return z
    .string()
    .regex(/^[1-9]\d{0,5}$/, wrong)
    .refine((text) => Number(text) <= most, wrong)
    .transform(Number);
}

/** The reason of a decision. It is stored, so blanks alone are refused. */
export const reasonText = z
  .string()
  .max(1000)
  .refine((text) => text.trim().length > 0, 'must give a reason');

/** Stored when no reason was given. */
export const noReason = 'No reason was given.';

/** How a seller is called. */
export const sellerProtocol = z
  .string()
  .regex(protocolPattern, 'must be mcp, a2a, or the name of a connector')
  .describe('mcp, a2a, or the name of a connector that the installation has loaded.');

export const httpAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(2048);

/** A token, or NAME:PASSWORD: without signs that no header carries, such as the line break of a bad copy. */
export const tokenText = z
  .string()
  .min(1)
  .max(8_192, 'must have at most 8192 characters')
  .regex(/^\P{Cc}*$/u, 'must have no line break and no other control character');

export function secretOf(text: string): Secret {
  return new Secret(Buffer.from(text, 'utf8'));
}

/** An amount of money as decimal text, with at most `wholeDigits` digits before the point. */
export const decimalText = (wholeDigits: number) =>
  z
    .string()
    .regex(
      new RegExp(`^\\d{1,${String(wholeDigits)}}(\\.\\d{1,6})?$`),
      `must be a decimal such as 2500.50, without commas, of at most ${String(wholeDigits)} digits and 6 decimals`,
    );

/** The name or id of a principal, a team or a seller in a request. */
export const nameOrId = z.string().min(1).max(200);

/** A display name: any text without control characters and direction marks. */
export const plainText = (atMost: number) =>
  z
    .string()
    .normalize('NFC')
    .max(atMost)
    .regex(
      /^[^\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]*$/u,
      'must be text without control characters and direction marks',
    );

/** The name of an organization. */
export const organizationName = plainText(200).trim().min(1);

/** A domain in a request. Read again as text, since a description of a transformed value cannot be made. */
export const domainName = domainBy(storedDomain);

/** The domain of a brand in a request: all spellings of one brand are one. */
export const brandName = domainBy(brandDomainOf);

function domainBy(stored: (text: string) => string) {
  return z
    .string()
    .max(253)
    .overwrite(stored)
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
      'must be a domain such as nova.example',
    );
}

/** A password that is set. There is no rule about which characters (ASVS 5, 6.2.5). */
export const newPassword = z.string().min(12, 'must have at least 12 characters').max(200);

/** The display name of a principal: letters of any script. */
export const plainName = z
  .string()
  .normalize('NFC')
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@'’-]{0,99}$/u,
    "must be 1 to 100 letters, digits, blanks and . _ @ - ', and to begin with a letter or a digit",
  );

/** Permissions in a request, by area; only those of the permission table. */
export const permissionsRequest = z.strictObject(
  Object.fromEntries(
    Object.entries(permissionTable).map(([area, kinds]) => [
      area,
      z.array(z.enum([...kinds] as [string, ...string[]])).exactOptional(),
    ]),
  ),
);

/** Permissions in an answer, by area. An area that is absent is not granted. */
export const permissionsView = z.partialRecord(
  z.enum(Object.keys(permissionTable) as (keyof typeof permissionTable)[]),
  z.array(z.enum(['read', 'write', 'delete', 'approve'])),
);

/** How long a principal's token may live: up to a year, in seconds. */
export const tokenTtl = z
  .int()
  .min(1)
  .max(366 * 24 * 3600);

/** An export without a signed head would prove nothing of who made it. */
export const notSigned: AdminFailure = {
  code: 'UNAVAILABLE',
  message: 'The export cannot be signed now: the key is not available.',
};
