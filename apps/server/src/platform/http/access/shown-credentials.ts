import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import { headerValues } from '../raw-headers.js';
import { dialects } from '@switchyard/protocol';

/**
 * The names in the caller's certificate, if there is one, or the reason why it is not valid
 * (docs/protocol/accounts.md#credentials-of-callers).
 *
 * They come from the certificate of the connection, which TLS has proved. A TLS edge may pass its caller's certificate
 * in `Client-Cert` (RFC 9440), but only if it has proved, by a certificate, to be one of the configured proxies; from
 * anybody else that header is refused, whatever its value.
 */
export function certificateNames(
  request: FastifyRequest,
  proxies: readonly string[],
  at: Instant,
): Result<readonly string[] | undefined, string> {
  const handed = headerValues(request.raw.rawHeaders, 'client-cert');
  const shown = shownBy(request);
  if (!shown.ok) return shown;
  const own = shown.value === undefined ? undefined : namesIn(shown.value);
  const isProxy = own?.some((name) => proxies.includes(name)) ?? false;
  if (!isProxy) {
    return handed.length > 0 ? err('in Client-Cert is accepted only from a configured proxy') : ok(own);
  }
  const [value, another] = handed;
  if (value === undefined) return ok(undefined);
  const certificate = another === undefined ? certificateIn(value) : undefined;
  if (certificate === undefined) return err('in Client-Cert is not a certificate');
  if (!isCurrent(certificate, at)) return err('is a certificate that has expired or is not valid yet');
  return ok(namesIn(certificate));
}

function shownBy(request: FastifyRequest): Result<X509Certificate | undefined, string> {
  const { socket } = request.raw;
  if (!(socket instanceof TLSSocket)) return ok(undefined);
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return ok(undefined);
  return socket.authorized ? ok(certificate) : err('is a certificate of an unknown authority');
}

/** A byte sequence of RFC 8941 that holds one certificate in DER. */
function certificateIn(value: string): X509Certificate | undefined {
  const text = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value.trim())?.[1];
  if (text === undefined) return undefined;
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}

function isCurrent(certificate: X509Certificate, at: Instant): boolean {
  return Date.parse(certificate.validFrom) <= at && at < Date.parse(certificate.validTo);
}

const kinds: Readonly<Record<string, string>> = { DNS: 'dns', URI: 'uri', email: 'email' };

/**
 * The names of a certificate as an admin registers them: `dns:`, `uri:` and `email:` of its alternative names, and
 * `subject:` with its distinguished name, most specific part first, as RFC 4514 writes it.
 */
function namesIn(certificate: X509Certificate): readonly string[] {
  // Node's types do not allow a certificate without a subject, which exists.
  const subject = (certificate.subject as string | undefined)?.split('\n').reverse().join(',') ?? '';
  // A value that contains a comma or a quote is quoted, as JSON.
  const parts = certificate.subjectAltName?.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  const names = parts.flatMap((part) => {
    const [, label = '', text = ''] = /^\s*([^:]+):(.*)$/s.exec(part) ?? [];
    const kind = kinds[label];
    if (kind === undefined) return [];
    const value = text.startsWith('"') ? quoted(text) : text;
    return [`${kind}:${kind === 'dns' ? value.toLowerCase() : value}`];
  });
  return subject === '' ? names : [...names, `subject:${subject}`];
}

function quoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Older headers in which MCP callers send a bearer token. Only MCP reads them. */
const mcpAliases = [dialects.ads.bearerAliasHeader, dialects.adcp.bearerAliasHeader];

/** A secret as it was presented. Both schemes are equivalent: they prove the same. */
export type PresentedSecret =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly username: string; readonly password: string };

/**
 * The secret of a request, if it has one, or what is wrong with its form. An alias may repeat the value of
 * `Authorization`; any other value is refused, since either could be meant.
 */
export function readAuthorization(
  rawHeaders: readonly string[],
  aliases: boolean,
): Result<PresentedSecret | undefined, string> {
  const [value, another] = headerValues(rawHeaders, 'authorization');
  if (another !== undefined) return err('was sent more than once');
  const main = value === undefined ? ok(undefined) : readValue(value);
  if (!main.ok) return main;
  const others = new Set<string>();
  for (const alias of aliases ? mcpAliases.flatMap((name) => headerValues(rawHeaders, name)) : []) {
    const token = /^(?:bearer +)?([\x21-\x7e]+) *$/i.exec(alias)?.[1];
    if (token === undefined) return err('is malformed');
    others.add(token);
  }
  if (others.size === 0) return main;
  const [token = '', contradiction] = others;
  const same = main.value === undefined || (main.value.scheme === 'bearer' && main.value.token === token);
  if (contradiction !== undefined || !same) return err('differs between two headers');
  return ok({ scheme: 'bearer', token });
}

function readValue(value: string): Result<PresentedSecret, string> {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(value)?.[1];
  if (token !== undefined) return ok({ scheme: 'bearer', token });
  const pair = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(value)?.[1];
  if (pair === undefined) return err('is not of the form: Bearer TOKEN, or Basic with a name and a password');
  const text = Buffer.from(pair, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return err('has no user and no password');
  return ok({ scheme: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) });
}
