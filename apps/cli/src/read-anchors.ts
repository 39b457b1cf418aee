import { anchorType, readAnchorDocument, type NotedHead } from '@switchyard/journal';
import { isJsonObject, parseStrictJson, type JsonObject, type JsonValue } from '@switchyard/values';
import { compactVerify, importJWK } from 'jose';
import { isIn, publicMembers } from './verify-statement.js';

const anchorsAtMost = 5_000;

/** The anchors of a file, or their faults. Makes no network call. */
export async function readAnchors(
  file: JsonValue,
  jwks?: JsonValue,
): Promise<{ readonly anchors: readonly NotedHead[]; readonly problems: readonly string[] }> {
  const listed = isJsonObject(file) && 'anchors' in file ? file['anchors'] : file;
  const rows = Array.isArray(listed) ? listed : [listed];
  if (rows.length === 0 || rows.length > anchorsAtMost)
    return { anchors: [], problems: [`The file has no anchors, or more than ${anchorsAtMost}.`] };
  const anchors: NotedHead[] = [];
  const problems: string[] = [];
  for (const [at, row] of rows.entries()) {
    const read = isJsonObject(row) ? await signedAnchor(row) : undefined;
    if (read === undefined) problems.push(`Anchor ${at} is not signed by the key beside it.`);
    else if (jwks !== undefined && !isIn(read.key, jwks))
      problems.push(`The key of anchor ${at} is not in the published key set.`);
    else anchors.push(read.anchor);
  }
  return { anchors, problems };
}

/** The signed content; the members beside the signature prove nothing. */
async function signedAnchor({
  jws,
  key,
}: JsonObject): Promise<{ readonly anchor: NotedHead; readonly key: JsonObject } | undefined> {
  if (typeof jws !== 'string' || jws.length > 10_000 || !isJsonObject(key)) return undefined;
  try {
    const alg = key['kty'] === 'OKP' ? 'EdDSA' : 'ES256';
    const { payload, protectedHeader } = await compactVerify(jws, await importJWK(publicMembers(key), alg), {
      algorithms: [alg],
    });
    if (protectedHeader.typ !== anchorType || protectedHeader.kid !== key['kid']) return undefined;
    const parsed = parseStrictJson(Buffer.from(payload));
    const anchor = parsed.ok ? readAnchorDocument(parsed.value.value) : undefined;
    return anchor === undefined ? undefined : { anchor, key };
  } catch {
    return undefined;
  }
}
