import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import { headerValues } from '../raw-headers.js';

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
