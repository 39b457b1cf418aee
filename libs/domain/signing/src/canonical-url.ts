import { domainToASCII } from 'node:url';
import { err, ok, type Result } from '@switchyard/values';

interface CanonicalTarget {
  /** The value of `@target-uri`. */
  readonly targetUri: string;
  /** The value of `@authority`: host, and port unless it is the scheme's default. */
  readonly authority: string;
}

/**
 * Returns the canonical form of an absolute http or https URL, computed from the raw text.
 * A WHATWG parser cannot be used: it escapes, unescapes and resolves by its own rules, which changes signed bytes.
 * There are eight steps in a fixed order. Percent-escapes are handled after dot segments, so the result must be
 * computed only once, from the URL as it was sent. Fails with a text that describes the error.
 */
export function canonicalTarget(raw: string): Result<CanonicalTarget, string> {
  const parts = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/is.exec(raw);
  if (parts === null) return err('not an absolute http or https URL');
  const scheme = (parts[1] ?? '').toLowerCase();
  const authority = canonicalAuthority(parts[2] ?? '', scheme);
  if (!authority.ok) return authority;
  const path = canonicalPath(parts[3] ?? '');
  if (!path.ok) return path;
  const query = parts[4] ?? '';
  if (!isVisibleAscii(query)) return err('the query holds a character that must be escaped');
  return ok({
    targetUri: `${scheme}://${authority.value}${path.value}${query}`,
    authority: authority.value,
  });
}

/** Returns a canonical authority: without user information and the scheme's default port. */
export function canonicalAuthority(raw: string, scheme: string): Result<string, string> {
  const at = raw.lastIndexOf('@');
  if (at >= 0 && !/^[A-Za-z0-9\-._~!$&'()*+,;=:%]*$/.test(raw.slice(0, at))) {
    return err('malformed user information');
  }
  const hostPort = raw.slice(at + 1);
  const split = hostPort.startsWith('[')
    ? /^(\[[^[\]]*\])(?::([0-9]*))?$/.exec(hostPort)
    : /^([^:[\]]*)(?::([0-9]*))?$/.exec(hostPort);
  if (split === null) return err('malformed host or port');
  const host = canonicalHost(split[1] ?? '');
  if (!host.ok) return host;
  const digits = split[2] ?? '';
  if (digits === '') return host;
  const port = Number(digits);
  if (digits.length > 5 || port > 65_535) return err('port out of range');
  const isDefault = (scheme === 'https' && port === 443) || (scheme === 'http' && port === 80);
  return isDefault ? host : ok(`${host.value}:${port}`);
}

function canonicalHost(raw: string): Result<string, string> {
  if (raw === '') return err('no host');
  if (raw.startsWith('[')) {
    const address = raw.slice(1, -1).toLowerCase();
    return /^[0-9a-f:.]+$/.test(address) && address.includes(':')
      ? ok(`[${address}]`)
      : err('malformed IPv6 host');
  }
  let name = isVisibleAscii(raw) ? raw.toLowerCase() : domainToASCII(raw);
  if (name.endsWith('.')) name = name.slice(0, -1);
  const labels = name.split('.');
  if (!labels.every(isHostLabel)) return err('malformed host name');
  // Encoding an A-label again must give the same label. The check also refuses punycode that cannot be decoded.
  if (labels.some((label) => label.startsWith('xn--')) && domainToASCII(name) !== name) {
    return err('malformed internationalised host name');
  }
  return ok(name);
}

/** Letters, digits and hyphens; no hyphen at either end, and none in positions 3 and 4 except in an A-label. */
function isHostLabel(label: string): boolean {
  if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label)) return false;
  return label.slice(2, 4) !== '--' || label.startsWith('xn--');
}

function canonicalPath(raw: string): Result<string, string> {
  if (!isVisibleAscii(raw) || raw.includes('\\')) {
    return err('the path holds a character that must be escaped');
  }
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) return err('the path holds a broken percent-escape');
  const path = removeDotSegments(raw === '' ? '/' : raw);
  return ok(
    path.replace(/%([0-9A-Fa-f]{2})/g, (escape, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[A-Za-z0-9\-._~]/.test(character) ? character : escape.toUpperCase();
    }),
  );
}

function isVisibleAscii(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}

/**
 * Removes dot segments from an absolute path (RFC 3986, section 5.2.4). Empty segments count: `/a//../b` loses the
 * empty one and keeps `/a`.
 */
function removeDotSegments(path: string): string {
  if (!path.includes('/.')) return path;
  const stored: string[] = [];
  const segments = path.split('/').slice(1);
  const last = segments.length - 1;
  segments.forEach((segment, index) => {
    const dots = segment === '.' || segment === '..';
    if (segment === '..') stored.pop();
    if (!dots) stored.push(segment);
    else if (index === last) stored.push('');
  });
  return `/${stored.join('/')}`;
}
