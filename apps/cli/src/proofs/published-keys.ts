import type { Egress } from '@switchyard/sellers';
import {
  err,
  isJsonObject,
  ok,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';

/** The limits of one document: it comes from a domain that a file names. */
const limits = { maxBytes: 4 * 1024 * 1024, timeoutMs: 10_000 };
const keySetsAtMost = 8;

/** The keys of a key set (RFC 7517, 5); undefined if the document is none. */
export function keysIn(document: JsonValue): readonly JsonObject[] | undefined {
  const keys = isJsonObject(document) ? document['keys'] : undefined;
  return Array.isArray(keys) ? keys.filter(isJsonObject) : undefined;
}

/** Reads one key set; the error is a sentence. Redirects are failures. */
export async function fetchKeySet(
  egress: Egress,
  url: string,
): Promise<Result<readonly JsonObject[], string>> {
  const document = await fetchJson(egress, url);
  if (!document.ok) return document;
  const keys = keysIn(document.value);
  return keys === undefined ? err(`${url} is no key set.`) : ok(keys);
}

/** The keys that a domain publishes (`fetchKeysAt`). The domain comes from a file, so it is held to the form of a name. */
export async function fetchKeysOf(
  egress: Egress,
  domain: string,
): Promise<Result<readonly JsonObject[], string>> {
  if (!/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i.test(domain))
    return err(`${domain} is no domain that publishes keys.`);
  return fetchKeysAt(egress, `https://${domain}`, domain);
}

/**
 * The keys of a domain, at its origin: the sets that its brand.json names for its agents, else its own
 * `/.well-known/jwks.json`, and the retired keys beside each. A key that says whose it is must say this domain; one that
 * does not counts only from the domain itself, because a brand.json also names agents of others.
 */
export async function fetchKeysAt(
  egress: Egress,
  origin: string,
  domain: string,
): Promise<Result<readonly JsonObject[], string>> {
  const brand = await fetchJson(egress, `${origin}/.well-known/brand.json`);
  const named = brand.ok ? keySetsIn(brand.value) : [];
  const urls = named.length === 0 ? [`${origin}/.well-known/jwks.json`] : named;
  const keys: JsonObject[] = [];
  let failure = '';
  for (const url of urls) {
    const found = await fetchKeySet(egress, url);
    if (!found.ok) {
      failure = found.error;
      continue;
    }
    const retired = await fetchKeySet(egress, new URL('switchyard/retired-keys.json', url).href);
    const isOwn = new URL(url).origin === origin;
    keys.push(
      ...[...found.value, ...(retired.ok ? retired.value : [])].filter(({ switchyard: owner }) =>
        owner === undefined ? isOwn : isJsonObject(owner) && owner['organization'] === domain,
      ),
    );
  }
  return keys.length === 0 && failure !== '' ? err(failure) : ok(keys);
}

/** Addresses of key sets in a brand.json, in whatever of its forms: each `jwks_uri` beside a `url`. */
function keySetsIn(document: JsonValue): readonly string[] {
  const found = new Set<string>();
  const walk = (value: JsonValue | undefined, depth: number): void => {
    if (depth > 8 || found.size >= keySetsAtMost) return;
    if (Array.isArray(value)) for (const item of value) walk(item, depth + 1);
    else if (isJsonObject(value)) {
      const { jwks_uri: uri } = value;
      if (typeof uri === 'string' && URL.canParse(uri) && found.size < keySetsAtMost) found.add(uri);
      for (const member of Object.values(value)) walk(member, depth + 1);
    }
  };
  walk(document, 0);
  return [...found];
}

async function fetchJson(egress: Egress, url: string): Promise<Result<JsonValue, string>> {
  const answer = await egress.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    ...limits,
  });
  if (!answer.ok) return err(`${url} cannot be read (${answer.error.code}).`);
  if (answer.value.status !== 200) return err(`${url} answered ${answer.value.status}.`);
  const parsed = parseStrictJson(answer.value.body, { maxBytes: limits.maxBytes });
  return parsed.ok ? ok(parsed.value.value) : err(`${url} is no JSON.`);
}
