import { compactVerify, importJWK, type JWK } from 'jose';
import type { JsonObject } from '@switchyard/values';

/** Maximum length of a JWS that is not a statement, in characters. */
export const jwsAtMost = 10_000;

/** The payload of a compact JWS (RFC 7515) of this type, or undefined if this key did not sign it. */
export async function payloadOf(jws: string, key: JsonObject, typ: string): Promise<string | undefined> {
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
function publicMembers(key: JsonObject): JWK {
  const members = ['kty', 'crv', 'x', 'y'].map((name) => [name, key[name]]);
  return Object.fromEntries(members.filter(([, value]) => typeof value === 'string')) as JWK;
}
