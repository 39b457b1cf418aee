import { describe, expect, it } from '@jest/globals';
import { classifyAddress, deniedGlobalIPv6, deniedIPv4 } from './address-ranges.js';
import { judgeUrl } from './judge-url.js';

const strict = { allowLoopback: false };
const local = { allowLoopback: true };

function codeOf(url: string, policy = strict): string {
  const judged = judgeUrl(url, policy);
  return judged.ok ? 'allowed' : judged.error.code;
}

describe('addresses', () => {
  it.each(deniedIPv4.map(([range]) => range))(
    'denies the IPv4 range %s from its first to its last',
    (range) => {
      const [net = '', bits = ''] = range.split('/');
      const start = net.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      const last = start + 2 ** (32 - Number(bits)) - 1;
      for (const value of [start, last]) {
        const text = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
        expect([text, classifyAddress(text)]).not.toEqual([text, 'public']);
      }
    },
  );

  it.each(deniedGlobalIPv6.map(([range]) => range))('denies the IPv6 range %s', (range) => {
    expect(classifyAddress(range.split('/')[0] ?? '')).toBe('denied');
  });

  it.each([
    '::',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '5f00::1',
    '2001:0:1::1',
    '2002:7f00:1::',
    'not an address',
  ])('denies %s', (address) => {
    expect(classifyAddress(address)).toBe('denied');
  });

  it.each(['8.8.8.8', '172.15.255.255', '172.32.0.0', '100.63.255.255', '192.0.1.0', '2606:4700::1111'])(
    'accepts %s as public',
    (address) => {
      expect(classifyAddress(address)).toBe('public');
    },
  );
});

describe('addresses of others, checked before any lookup', () => {
  it.each([
    ['https://seller.example/mcp', 'allowed'],
    ['https://8.8.8.8/', 'allowed'],
    ['http://seller.example/mcp', 'blocked_scheme'],
    ['ftp://seller.example/', 'blocked_scheme'],
    ['file:///etc/passwd', 'blocked_scheme'],
    ['https://user:pass@seller.example/', 'blocked_url'],
    ['https://seller.example\\@10.0.0.1/', 'blocked_url'],
    ['https:/\\seller.example/', 'blocked_url'],
    ['https://seller.example/a b', 'blocked_url'],
    ['https://seller.example/\u0000', 'blocked_url'],
    ['//seller.example/', 'blocked_url'],
    ['', 'blocked_url'],
    ['https://', 'blocked_url'],
    ['https://127.0.0.1/', 'blocked_address'],
    ['https://127.1/', 'blocked_address'],
    ['https://0x7f000001/', 'blocked_address'],
    ['https://0x7f.0.0.1/', 'blocked_address'],
    ['https://017700000001/', 'blocked_address'],
    ['https://0177.0.0.1/', 'blocked_address'],
    ['https://2130706433/', 'blocked_address'],
    ['https://127.0.0.1./', 'blocked_address'],
    ['https://１２７.0.0.1/', 'blocked_address'],
    ['https://[::1]/', 'blocked_address'],
    ['https://[::ffff:7f00:1]/', 'blocked_address'],
    ['https://[0:0:0:0:0:0:0:1]/', 'blocked_address'],
    ['https://[fe80::1%25eth0]/', 'blocked_url'],
    ['https://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://localhost/', 'blocked_address'],
    ['https://LOCALHOST./', 'blocked_address'],
    ['https://a.localhost/', 'blocked_address'],
    ['https://metadata.google.internal/', 'blocked_address'],
    ['https://metadata/', 'blocked_address'],
  ])('%s: %s', (url, expected) => {
    expect(codeOf(url)).toBe(expected);
  });

  it.each([
    ['http://127.0.0.1:8080/', 'allowed'],
    ['http://[::1]:8080/', 'allowed'],
    ['http://localhost:8080/', 'allowed'],
    ['https://127.0.0.1/', 'allowed'],
    ['http://8.8.8.8/', 'blocked_address'],
    ['http://10.0.0.1/', 'blocked_address'],
    ['https://10.0.0.1/', 'blocked_address'],
  ])('in the local profile %s: %s', (url, expected) => {
    expect(codeOf(url, local)).toBe(expected);
  });

  it('keeps path and query unchanged, because they may be signed', () => {
    const judged = judgeUrl("https://seller.example/%7Ea/./b?x='1'&y=%2f?#part", strict);
    expect(judged).toMatchObject({ ok: true, value: { path: "/%7Ea/./b?x='1'&y=%2f?" } });
  });
});
