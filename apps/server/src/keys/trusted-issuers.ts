import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { JSONWebKeySet } from 'jose';
import { err, ok, parseStrictJson, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { StartFailure } from '../platform/start-failure.js';
import { readKeySet } from './read-key-set.js';

/** An issuer whose tokens are accepted for the subjects that an admin registered. */
export interface TrustedIssuer {
  /** The exact value of `iss`. */
  readonly issuer: string;
  /** Our names at the issuer: `aud` must contain one of them. */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly keys:
    | { readonly kind: 'address'; readonly jwksUri: string }
    | { readonly kind: 'document'; readonly jwks: JSONWebKeySet };
}

/** Only signatures: with a shared secret, everyone who verifies could have made the token. */
const algorithms = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
] as const;
const usualAlgorithms = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'RS256'] as const;

const schema = z
  .array(
    z
      .strictObject({
        issuer: z.string().min(1).max(2048),
        audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
        jwks_uri: z.url({ protocol: /^https?$/ }).optional(),
        jwks_file: z.string().min(1).optional(),
        algorithms: z.array(z.enum(algorithms)).min(1).optional(),
      })
      .refine((row) => (row.jwks_uri === undefined) !== (row.jwks_file === undefined), {
        error: 'needs one of jwks_uri and jwks_file',
      }),
  )
  .max(100);

/**
 * Reads `SWITCHYARD_JWT_ISSUERS_FILE`: a JSON array of issuers, each with `issuer`, `audience`, and `jwks_uri` or
 * `jwks_file` (beside the file itself unless absolute). A file that cannot be used stops the start.
 */
export function readTrustedIssuers(settings: {
  readonly SWITCHYARD_JWT_ISSUERS_FILE?: string | undefined;
}): Result<readonly TrustedIssuer[], StartFailure> {
  const file = settings.SWITCHYARD_JWT_ISSUERS_FILE;
  if (file === undefined) return ok([]);
  const json = jsonIn(file);
  if (json === undefined) return refused('cannot be read, or holds no JSON');
  const read = schema.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    return refused(`is not usable at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const issuers: TrustedIssuer[] = [];
  for (const row of read.data) {
    if (issuers.some(({ issuer }) => issuer === row.issuer)) return refused(`names ${row.issuer} twice`);
    const keys = keysOf(file, row);
    if (keys === undefined) return refused(`names a jwks_file without public keys for ${row.issuer}`);
    issuers.push({
      issuer: row.issuer,
      audience: typeof row.audience === 'string' ? [row.audience] : row.audience,
      algorithms: row.algorithms ?? usualAlgorithms,
      keys,
    });
  }
  return ok(issuers);
}

function keysOf(file: string, row: z.infer<typeof schema>[number]): TrustedIssuer['keys'] | undefined {
  if (row.jwks_uri !== undefined) return { kind: 'address', jwksUri: row.jwks_uri };
  const jwks = readKeySet(jsonIn(resolve(dirname(file), row.jwks_file ?? '')) ?? null);
  return jwks === undefined ? undefined : { kind: 'document', jwks };
}

function jsonIn(file: string) {
  try {
    const parsed = parseStrictJson(readFileSync(file));
    return parsed.ok ? parsed.value.value : undefined;
  } catch {
    return undefined;
  }
}

function refused(what: string): Result<never, StartFailure> {
  return err({ code: 'settings', message: `The file in SWITCHYARD_JWT_ISSUERS_FILE ${what}.` });
}
