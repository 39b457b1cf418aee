import { isIP } from 'node:net';
import type { EgressFailure, EgressPolicy } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { classifyAddress } from './address-ranges.js';
import { failureOf } from './failure.js';

interface Target {
  readonly origin: string;
  /** Path and query are unchanged, because they may be signed. */
  readonly path: string;
  readonly scheme: 'http' | 'https';
  /** Without brackets, in lower case, without the final dot. */
  readonly host: string;
  readonly isLiteral: boolean;
}

/**
 * Checks everything that needs no DNS lookup: form, scheme, host name, address literals.
 *
 * The host is read by the parser that the connection uses. It turns octal, hexadecimal, short and decimal IPv4
 * spellings into dotted ones, so the guard and the socket never read a spelling differently.
 */
export function judgeUrl(raw: string, policy: EgressPolicy): Result<Target, EgressFailure> {
  const parts = /^(https?):\/\/([^/?#\\@]+)((?:\/[^?#]*)?)(\?[^#]*)?(?:#.*)?$/i.exec(raw);
  if (parts === null) {
    const isOther = /^[a-z][a-z0-9+.-]*:/i.test(raw) && !/^https?:/i.test(raw);
    return err(failureOf(isOther ? 'blocked_scheme' : 'blocked_url', 'no'));
  }
  const [, , , rawPath = '', query = ''] = parts;
  if (!/^[\x21-\x5b\x5d-\x7e]*$/.test(rawPath) || !/^[\x21-\x7e]*$/.test(query)) {
    return err(failureOf('blocked_url', 'no'));
  }
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined || url.hostname === '') return err(failureOf('blocked_url', 'no'));
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isLiteral = isIP(host) !== 0;
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  if (scheme === 'http' && !policy.allowLoopback) return err(failureOf('blocked_scheme', 'no'));
  const allowed = isLiteral ? mayConnect(host, scheme, policy) : mayResolve(host, policy);
  if (!allowed) return err(failureOf('blocked_address', 'no'));
  return ok({
    origin: url.origin,
    path: `${rawPath === '' ? '/' : rawPath}${query}`,
    scheme,
    host,
    isLiteral,
  });
}

/** Plain http is allowed to loopback only, and loopback in the local profile only. */
export function mayConnect(address: string, scheme: 'http' | 'https', policy: EgressPolicy): boolean {
  const found = classifyAddress(address);
  if (found === 'loopback') return policy.allowLoopback;
  return found === 'public' && scheme === 'https';
}

const deniedNames = /^(?:metadata|metadata\.packet\.net|.*\.internal|internal|.*\.local)$/;

function mayResolve(host: string, policy: EgressPolicy): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return policy.allowLoopback;
  return !deniedNames.test(host);
}
