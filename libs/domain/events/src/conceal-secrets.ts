import { Buffer } from 'node:buffer';
import { isJsonObject, parseStrictJson, type JsonValue, type Secret } from '@switchyard/values';

const shown = '[secret]';

/**
 * The bytes of a body with `[secret]` where it holds a shared secret: ours, or the credentials of any `authentication`
 * block. Nothing where there is none, which is nearly always. Members, order and numbers stay as they were sent.
 */
export function concealSecrets(
  body: Buffer,
  json: JsonValue,
  secret: Secret | undefined,
): Buffer | undefined {
  const text = body.toString('utf8');
  const own = secret?.useText((value) => (text.includes(value) ? value : undefined));
  const others = credentialsIn(json).filter((value) => value !== shown);
  if (own === undefined && others.length === 0) return undefined;
  let concealed = own === undefined ? text : text.replaceAll(own, shown);
  // Somebody else's may be as short as a letter: only whole strings are replaced.
  for (const value of others) concealed = concealed.replaceAll(JSON.stringify(value), JSON.stringify(shown));
  const bytes = Buffer.from(concealed, 'utf8');
  const again = parseStrictJson(bytes);
  // Spelled in escapes that no writer uses, it would still be there: then the members themselves are replaced.
  if (!again.ok || credentialsIn(again.value.value).every((value) => value === shown)) return bytes;
  return Buffer.from(JSON.stringify(json, concealing), 'utf8');
}

function concealing(name: string, value: unknown): unknown {
  return name === 'authentication' ? { credentials: shown } : value;
}

function credentialsIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(credentialsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = credentialsIn(member);
    const credentials = name === 'authentication' && isJsonObject(member) ? member['credentials'] : undefined;
    return typeof credentials === 'string' ? [credentials, ...below] : below;
  });
}
