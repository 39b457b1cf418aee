import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { headerValues } from './raw-headers.js';

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
 * Where a request comes from, for counting alone and never for deciding who it is. A trusted proxy is asked whom it
 * speaks for: the last hop that it added itself. Of IPv6 the network is counted, because one caller has all of it.
 */
export function peerAddress(trustedProxies: readonly string[]): (request: FastifyRequest) => string {
  const isTrusted = inNetworks(trustedProxies);
  return (request) => {
    let address = plainAddress(request.raw.socket.remoteAddress ?? '');
    const hops = headerValues(request.raw.rawHeaders, 'x-forwarded-for').flatMap((value) => value.split(','));
    for (const hop of hops.reverse()) {
      const said = plainAddress(hop.trim());
      if (!isTrusted(address) || isIP(said) === 0) break;
      address = said;
    }
    return isIP(address) === 6 ? networkOf(address) : address;
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
