import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { headerValues } from '../raw-headers.js';

/** True for an address of one of the entries: single addresses or networks. */
export function inNetworks(entries: readonly string[]): (peer: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (peer) => {
    const plain = plainAddress(peer);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}

/**
 * The address that a request is counted under; it never identifies the caller. From a trusted proxy it is the last hop
 * that the proxy added. For IPv6 it is the network, because one caller has all of it.
 */
export function peerAddress(trustedProxies: readonly string[]): (request: FastifyRequest) => string {
  const isTrusted = inNetworks(trustedProxies);
  return (request) => {
    let address = plainAddress(request.raw.socket.remoteAddress ?? '');
    const hops = headerValues(request.raw.rawHeaders, 'x-forwarded-for').flatMap((value) => value.split(','));
    for (const hop of hops.reverse()) {
      const reported = plainAddress(hop.trim());
      if (!isTrusted(address) || isIP(reported) === 0) break;
      address = reported;
    }
    return isIP(address) === 6 ? networkOf(address) : address;
  };
}

/** How a request from this machine differs from one of a proxy on it. */
export interface ReachRules {
  readonly trustedProxies: readonly string[];
  readonly tls: boolean;
  readonly publicUrl?: string;
}

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * True for a request that was made on this machine. Behind a proxy on the same machine every peer is loopback: a listed
 * proxy, or a request with forwarding headers, acts for somebody else. If the public address is elsewhere and no proxy
 * is listed, an unlisted proxy ends TLS for us.
 */
export function fromThisMachine(rules: ReachRules): (request: FastifyRequest) => boolean {
  const isProxy = inNetworks(rules.trustedProxies);
  const isPublic = rules.publicUrl !== undefined && !isLoopback(new URL(rules.publicUrl).hostname);
  const hasUnnamedProxy = isPublic && !rules.tls && rules.trustedProxies.length === 0;
  return (request) => {
    const peer = request.raw.socket.remoteAddress ?? '';
    if (hasUnnamedProxy || !isLoopback(peer) || isProxy(peer)) return false;
    return !forwardingHeaders.some((name) => request.headers[name] !== undefined);
  };
}

function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** The first 64 bits. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

/** True for names and addresses that never leave this machine. An IPv6 address may have brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  const plain = name.startsWith('::ffff:') ? name.slice('::ffff:'.length) : name;
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
