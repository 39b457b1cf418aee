import { createHash } from 'node:crypto';
import { err, isJsonObject, ok, parseStrictJson, type JsonObject, type Result } from '@switchyard/values';
import { siteOfUrl } from '../candidates/find-input.js';
import type { Egress } from '../egress-port.js';

/** Why what a seller or its authorization server publishes is not used. */
export interface OAuthFault {
  /** `needs_person`: a person decides; `failed`: the seller has to mend it. */
  readonly state: 'failed' | 'needs_person';
  readonly code: string;
  /** One sentence. */
  readonly words: string;
}

export type MetadataEgress = Pick<Egress, 'request' | 'checkUrl'>;

export interface OAuthDocument {
  /** The address that was asked. */
  readonly url: string;
  readonly body: JsonObject;
  /** Of the bytes, hex. */
  readonly sha256: string;
}

const mostBytes = 256 * 1024;
const timeoutMs = 10_000;
const mostRedirects = 3;
/** An answer with one of these statuses says that there is no document. */
const absent: ReadonlySet<number> = new Set([401, 403, 404, 405, 410]);

export const failed = (code: string, words: string): OAuthFault => ({ state: 'failed', code, words });

/**
 * Reads one document of metadata: JSON by its content type, 256 KiB, 10 seconds, at most three redirects within the site
 * that was asked. Undefined if there is none. No credential is sent.
 */
export async function fetchDocument(
  egress: MetadataEgress,
  url: string,
): Promise<Result<OAuthDocument | undefined, OAuthFault>> {
  let at = url;
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const answer = await egress.request({
      method: 'GET',
      url: at,
      headers: { accept: 'application/json' },
      maxBytes: mostBytes,
      timeoutMs,
      returnsRedirects: true,
    });
    const host = hostOf(at);
    if (!answer.ok) {
      const { code } = answer.error;
      return err(failed(`metadata_${code}`, `The metadata at ${host} could not be read: ${code}.`));
    }
    const { status, headers, body } = answer.value;
    if (absent.has(status)) return ok(undefined);
    if (status >= 300 && status < 400) {
      const { location } = headers;
      const to = typeof location === 'string' ? URL.parse(location, at)?.href : undefined;
      if (
        to === undefined ||
        siteOfUrl(to) !== siteOfUrl(url) ||
        new URL(to).protocol !== new URL(url).protocol
      )
        return err(failed('metadata_redirects', `The metadata at ${host} is redirected to another site.`));
      at = to;
      continue;
    }
    if (status !== 200)
      return err(failed('metadata_unreadable', `The metadata at ${host} is answered with status ${status}.`));
    const type = headers['content-type'];
    if (typeof type !== 'string' || !/^application\/json\s*(?:;|$)/i.test(type))
      return err(failed('metadata_not_json', `The metadata at ${host} is not sent as application/json.`));
    const parsed = parseStrictJson(body, { maxMembers: 5_000 });
    if (!parsed.ok || !isJsonObject(parsed.value.value))
      return err(failed('metadata_not_json', `The metadata at ${host} is not a JSON object.`));
    const sha256 = createHash('sha256').update(body).digest('hex');
    return ok({ url, body: parsed.value.value, sha256 });
  }
  return err(failed('metadata_redirects', `The metadata at ${hostOf(url)} is redirected too often.`));
}

/** For sentences: the host of an address, and its port. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that is none';
}

/**
 * Judges an address that a document names: https (plain http where the guard allows it, on loopback), no name and
 * password, no fragment, and one that the guard lets be called. Undefined if it may be used.
 */
export async function addressFault(
  egress: MetadataEgress,
  name: string,
  value: unknown,
): Promise<OAuthFault | undefined> {
  const url = typeof value === 'string' && value.length <= 2_048 ? URL.parse(value) : null;
  if (url === null) return failed(`${name}_malformed`, `Its ${name} is no address.`);
  if (url.username !== '' || url.password !== '' || String(value).includes('#'))
    return failed(`${name}_malformed`, `Its ${name} has a user, a password or a fragment.`);
  const judged = await egress.checkUrl(url.href);
  if (judged.ok) return undefined;
  if (url.protocol !== 'https:') return failed(`${name}_insecure`, `Its ${name} is not an https address.`);
  return failed(`${name}_blocked`, `Its ${name} leads to ${url.host}, which is not called.`);
}

/** The texts of a list in a document; undefined if it is no list of texts. */
export function textsIn(value: unknown, most = 200): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const list: readonly unknown[] = value;
  const texts = list.filter((one) => typeof one === 'string' && one.length <= 2_048);
  return texts.length === list.length ? (texts as readonly string[]) : undefined;
}
