import { compactVerify, importJWK, type JWK } from 'jose';
import { createHash } from 'node:crypto';
import { statementDigest, statementFileFormat, statementProblems } from '@switchyard/ledger';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The faults of a statement file; empty if it is valid. Makes no network call. */
export async function verifyStatement(file: JsonObject, jwks?: JsonValue): Promise<readonly string[]> {
  const { statement, digest, jws, key } = file;
  if (!isJsonObject(statement) || typeof jws !== 'string' || !isJsonObject(key))
    return ['The file has no statement, signature and key.'];
  const problems: string[] = [];
  const sums = statementProblems(statement);
  if (sums.ok) problems.push(...sums.value);
  else problems.push(`The statement cannot be read, at ${sums.error}.`);
  if (digest !== statementDigest(statement)) problems.push('The digest is not that of the statement.');
  if (!(await isSigned(statement, jws, key))) problems.push('The signature is not valid.');
  if (jwks !== undefined && !isIn(key, jwks)) problems.push('The key is not in the published key set.');
  return problems;
}

/**
 * The faults of a statement that is a CSV, XLSX or PDF file; empty if it is valid. `signature` is the separate JWS,
 * flattened (RFC 7515, 7.2.2) with its public key in the unprotected header. Makes no network call.
 */
export async function verifyStatementFile(
  bytes: Uint8Array,
  signature: JsonObject,
  jwks?: JsonValue,
): Promise<readonly string[]> {
  const { payload, protected: head, signature: signed, header } = signature;
  const key = isJsonObject(header) ? header['jwk'] : undefined;
  if (
    typeof payload !== 'string' ||
    typeof head !== 'string' ||
    typeof signed !== 'string' ||
    !isJsonObject(key)
  )
    return ['The file beside it is no signature of a statement.'];
  const problems: string[] = [];
  const payloadText = await payloadOf(`${head}.${payload}.${signed}`, key, 'switchyard-statement-file+jws');
  const read = payloadText === undefined ? undefined : parsed(payloadText);
  if (read === undefined) problems.push('The signature is not valid.');
  else if (read['format'] !== statementFileFormat) problems.push('The signature is for another document.');
  else if (
    read['sha256'] !== createHash('sha256').update(bytes).digest('hex') ||
    read['bytes'] !== bytes.length
  )
    problems.push('The file is not the signed one: its digest differs.');
  if (jwks !== undefined && !isIn(key, jwks)) problems.push('The key is not in the published key set.');
  return problems;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function isSigned(statement: JsonObject, jws: string, key: JsonObject): Promise<boolean> {
  return (await payloadOf(jws, key, 'switchyard-statement+jws')) === canonicalJson(statement);
}

/** The payload of a JWS of this type if its signature is valid. */
async function payloadOf(jws: string, key: JsonObject, typ: string): Promise<string | undefined> {
  try {
    const alg = key['kty'] === 'OKP' ? 'EdDSA' : 'ES256';
    const imported = await importJWK(publicMembers(key), alg);
    const { payload, protectedHeader } = await compactVerify(jws, imported, { algorithms: [alg] });
    const isMeant = protectedHeader.typ === typ && protectedHeader.kid === key['kid'];
    return isMeant ? Buffer.from(payload).toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** The members of a public key; all others in the file are ignored. */
export function publicMembers(key: JsonObject): JWK {
  const members = ['kty', 'crv', 'x', 'y'].map((name) => [name, key[name]]);
  return Object.fromEntries(members.filter(([, value]) => typeof value === 'string')) as JWK;
}

export function isIn(key: JsonObject, jwks: JsonValue): boolean {
  const keys = isJsonObject(jwks) && Array.isArray(jwks['keys']) ? jwks['keys'].filter(isJsonObject) : [];
  return keys.some((row) => ['kid', 'kty', 'crv', 'x', 'y'].every((name) => row[name] === key[name]));
}
