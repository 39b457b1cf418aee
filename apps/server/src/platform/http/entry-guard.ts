import type { FastifyRequest } from 'fastify';
import { refusal, type HttpAnswer } from './http-answer.js';
import { isLoopback } from './loopback.js';
import { inNetworks } from './access/peer-address.js';

export interface EntryRules {
  /** True when we are bound to loopback alone. */
  readonly local: boolean;
  readonly tls: boolean;
  readonly trustedProxies: readonly string[];
  readonly publicUrl?: string;
  /** Whether a page of another origin may send this request. No page may, unless this says so. */
  readonly admits?: (request: FastifyRequest) => boolean;
}

/**
 * Decides who may send requests at all. It refuses web pages of other origins, which reach a loopback address through
 * its owner's browser; on loopback every request, also a GET without an origin, to a name that only resolves to us; and
 * plain text from anywhere but a proxy that ends TLS for us.
 */
export function entryGuard(rules: EntryRules): (request: FastifyRequest) => HttpAnswer | undefined {
  const proxies = inNetworks(rules.trustedProxies);
  const ownHost = rules.publicUrl === undefined ? undefined : new URL(rules.publicUrl).host;
  return (request) => {
    const peer = request.raw.socket.remoteAddress ?? '';
    if (!rules.local && !rules.tls && !isLoopback(peer) && !proxies(peer)) {
      return refusal({
        code: 'TLS_REQUIRED',
        message: 'Plain HTTP is accepted only from the trusted proxy.',
      });
    }
    const { origin, host } = request.headers;
    const isOther = origin !== undefined && !isOwnOrigin(origin, host ?? '', rules.local, ownHost);
    if (isOther && rules.admits?.(request) !== true)
      return refusal({
        code: 'ORIGIN_NOT_ALLOWED',
        message: 'Pages of that origin may not call this server.',
      });
    if (rules.local && host !== undefined && !isOwnHost(host, ownHost)) {
      const message = 'This server does not have that host name. Behind a proxy set SWITCHYARD_PUBLIC_URL.';
      return refusal({ code: 'HOST_NOT_ALLOWED', message });
    }
    return undefined;
  };
}

function isOwnHost(host: string, ownHost: string | undefined): boolean {
  if (host.toLowerCase() === ownHost) return true;
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

function isOwnOrigin(origin: string, host: string, local: boolean, ownHost: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (ownHost !== undefined && from.host === ownHost) return true;
  // On loopback a name that only resolves to us is not ours: DNS rebinding reaches this address that way.
  return from.host === host && (!local || isLoopback(from.hostname));
}
