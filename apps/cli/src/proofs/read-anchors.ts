import { anchorType, readAnchorDocument, type NotedHead } from '@switchyard/journal';
import { isJsonObject, parseStrictJson, type JsonObject, type JsonValue } from '@switchyard/values';
import { jwsAtMost, payloadOf } from './verify-jws.js';

const anchorsAtMost = 5_000;

/** A head and the key beside it that signed it. Whose key that is, is another question. */
export interface SignedHead {
  readonly anchor: NotedHead;
  readonly key: JsonObject;
}

/** The signed heads of a document, or its faults. Makes no network call. */
export async function readAnchors(
  file: JsonValue,
): Promise<{ readonly heads: readonly SignedHead[]; readonly faults: readonly string[] }> {
  const listed = isJsonObject(file) && 'anchors' in file ? file['anchors'] : file;
  const rows = Array.isArray(listed) ? listed : [listed];
  if (rows.length === 0 || rows.length > anchorsAtMost)
    return { heads: [], faults: [`It has no signed heads, or more than ${anchorsAtMost}.`] };
  const heads: SignedHead[] = [];
  const faults: string[] = [];
  for (const [at, row] of rows.entries()) {
    const read = isJsonObject(row) ? await signedHead(row) : undefined;
    if (read === undefined) faults.push(`Anchor ${at} is not signed by the key beside it.`);
    else heads.push(read);
  }
  return { heads, faults };
}

/** The signed content; the members beside the signature prove nothing. */
async function signedHead({ jws, key }: JsonObject): Promise<SignedHead | undefined> {
  if (typeof jws !== 'string' || jws.length > jwsAtMost || !isJsonObject(key)) return undefined;
  const payload = await payloadOf(jws, key, anchorType);
  const parsed = payload === undefined ? undefined : parseStrictJson(Buffer.from(payload));
  const anchor = parsed?.ok === true ? readAnchorDocument(parsed.value.value) : undefined;
  return anchor === undefined ? undefined : { anchor, key };
}
