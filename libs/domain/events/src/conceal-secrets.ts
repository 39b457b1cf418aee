import { Buffer } from 'node:buffer';
import {
  concealInText,
  concealTexts,
  isJsonObject,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';

const shown = '[secret]';

/**
 * Replaces our secrets, the credentials of any `authentication` block, and what opens a secured asset of an artifact
 * (`access`), in a body by `[secret]`. Undefined where there are none, which is the usual case. Members, order and numbers are unchanged.
 */
export function concealSecrets(body: Buffer, json: JsonValue, own: readonly string[]): Buffer | undefined {
  const text = body.toString('utf8');
  const others = credentialsIn(json).filter((value) => value !== shown);
  const isSecret = own.some((secret) => text.includes(secret)) || concealTexts(json, own) !== json;
  if (!isSecret && others.length === 0) return undefined;
  let concealed = concealInText(text, own);
  // Credentials of others may be as short as one letter: only whole strings are replaced.
  for (const value of others) concealed = concealed.replaceAll(JSON.stringify(value), JSON.stringify(shown));
  const bytes = Buffer.from(concealed, 'utf8');
  const again = parseStrictJson(bytes);
  // A secret in unusual escapes is still there: then the members themselves are replaced.
  if (!again.ok || isClean(again.value.value, own)) return bytes;
  const known = new Set(others);
  const replaced = (_name: string, value: unknown): unknown =>
    typeof value === 'string' && known.has(value) ? shown : value;
  return Buffer.from(JSON.stringify(concealTexts(json, own), replaced), 'utf8');
}

function isClean(json: JsonValue, own: readonly string[]): boolean {
  return concealTexts(json, own) === json && credentialsIn(json).every((value) => value === shown);
}

function credentialsIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(credentialsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .flatMap(([name, member]) => {
      const below = credentialsIn(member);
      const credentials =
        name === 'authentication' && isJsonObject(member) ? member['credentials'] : undefined;
      return typeof credentials === 'string' ? [credentials, ...below] : below;
    })
    .concat(accessIn(value));
}

/** What opens a secured asset: its token, its service account, or, where the address itself is signed, that. */
function accessIn({ access, url }: JsonObject): readonly string[] {
  if (!isJsonObject(access) || typeof access['method'] !== 'string') return [];
  return [
    ...textsIn(access['token']),
    ...textsIn(access['credentials']),
    ...(access['method'] === 'signed_url' ? textsIn(url) : []),
  ];
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
