import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 ranges that no seller can have, each with the reason. */
export const deniedIPv4: readonly (readonly [range: string, why: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT, and a cloud metadata address'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'a cloud platform service inside the guest'],
  ['169.254.0.0/16', 'link-local, and most cloud metadata addresses'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments, and a cloud metadata address'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved, and broadcast'],
];

/** IPv6 ranges inside global unicast space that are denied. Everything outside 2000::/3 is denied as a whole. */
export const deniedGlobalIPv6: readonly (readonly [range: string, why: string])[] = [
  ['2001::/23', 'protocol assignments, Teredo among them'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4: any IPv4 address inside'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
];

const globalUnicast = blockList([['2000::/3', '']], 'ipv6');
const denied4 = blockList(deniedIPv4, 'ipv4');
const denied6 = blockList(deniedGlobalIPv6, 'ipv6');
const loopback4 = blockList([['127.0.0.0/8', '']], 'ipv4');
const loopback6 = blockList([['::1/128', '']], 'ipv6');

type AddressClass = 'public' | 'loopback' | 'denied';

/**
 * Classifies an address. Anything that is not clearly an address is denied, and so are IPv6 forms that contain an IPv4
 * address: what they reach depends on a translator outside this product.
 */
export function classifyAddress(address: string): AddressClass {
  if (isIP(address) === 0 || address.includes('%')) return 'denied';
  if (isIPv4(address)) {
    if (loopback4.check(address, 'ipv4')) return 'loopback';
    return denied4.check(address, 'ipv4') ? 'denied' : 'public';
  }
  if (loopback6.check(address, 'ipv6')) return 'loopback';
  if (!globalUnicast.check(address, 'ipv6')) return 'denied';
  return denied6.check(address, 'ipv6') ? 'denied' : 'public';
}

function blockList(ranges: readonly (readonly [string, string])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [range] of ranges) {
    const [net = '', bits = ''] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}
