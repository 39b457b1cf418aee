import { isObject, type Json } from '../json.js';

const named = new Set(['api_key', 'client_secret', 'bearer', 'authorization', 'jwk', 'jwks', 'jwks_uri']);

/** The path of a credential in the arguments; undefined if there is none. */
export function credentialIn(value: Json, path = ''): string | undefined {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = credentialIn(item, `${path}[${String(index)}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (named.has(name) || name.endsWith('_access_token')) return at;
    const found = credentialIn(member, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
