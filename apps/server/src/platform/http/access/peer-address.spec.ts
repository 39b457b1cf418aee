import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { entryGuard, type EntryRules } from '../entry-guard.js';
import { inNetworks, peerAddress } from './peer-address.js';

const from = (remoteAddress: string, ...forwarded: readonly string[]): FastifyRequest =>
  ({
    headers: {},
    raw: {
      socket: { remoteAddress },
      rawHeaders: forwarded.flatMap((value) => ['X-Forwarded-For', value]),
    },
  }) as unknown as FastifyRequest;

describe('the client address for rate limits', () => {
  const behind = peerAddress(['10.0.0.0/8', '2001:db8:ffff::/48']);

  it('is that of the connection, with any header from an untrusted peer', () => {
    expect(behind(from('192.0.2.7'))).toBe('192.0.2.7');
    expect(behind(from('192.0.2.7', '203.0.113.9'))).toBe('192.0.2.7');
    expect(peerAddress([])(from('10.0.0.1', '203.0.113.9'))).toBe('10.0.0.1');
    expect(behind(from('::ffff:192.0.2.7', '203.0.113.9'))).toBe('192.0.2.7');
  });

  it('is the one that our nearest proxy added, not one that its caller wrote before it', () => {
    expect(behind(from('10.0.0.1', '203.0.113.9'))).toBe('203.0.113.9');
    expect(behind(from('::ffff:10.0.0.1', '198.51.100.1, 203.0.113.9'))).toBe('203.0.113.9');
    expect(behind(from('10.0.0.1', '198.51.100.1', '203.0.113.9, 10.0.0.2'))).toBe('203.0.113.9');
    expect(behind(from('2001:db8:ffff::1', '203.0.113.9'))).toBe('203.0.113.9');
  });

  it('stays that of the proxy if it sends no valid address', () => {
    expect(behind(from('10.0.0.1', 'unknown'))).toBe('10.0.0.1');
    expect(behind(from('10.0.0.1', '198.51.100.1, _hidden'))).toBe('10.0.0.1');
    expect(behind(from('10.0.0.1', ''))).toBe('10.0.0.1');
  });

  it('of IPv6 is the network, since one caller has all of it', () => {
    const text = behind(from('2001:db8:1:2:3:4:5:6'));
    expect(text).toBe('2001:db8:1:2');
    expect(behind(from('2001:db8:1:2::9'))).toBe(text);
    expect(behind(from('2001:db8:1:3::9'))).not.toBe(text);
    expect(behind(from('::1'))).toBe(behind(from('::2')));
  });

  it('is matched with a network by its bits, in either family', () => {
    const inside = inNetworks(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32']);
    expect(
      ['10.1.255.255', '192.0.2.7', '::ffff:10.1.0.1', '2001:db8:9::1'].filter((text) => !inside(text)),
    ).toEqual([]);
    expect(['10.2.0.0', '192.0.2.8', '2001:db9::1', '', 'proxy.example'].filter(inside)).toEqual([]);
  });
});

describe('plain text', () => {
  const rules: EntryRules = { local: false, tls: false, trustedProxies: ['10.0.0.0/8'] };
  const codeOf = (given: Partial<EntryRules>, peer: string) => {
    const refused = entryGuard({ ...rules, ...given })(from(peer));
    const body = refused?.body as { readonly errors: readonly { readonly code: string }[] } | undefined;
    return body?.errors[0]?.code;
  };

  it('is accepted from the trusted proxy and from this machine only', () => {
    expect(codeOf({}, '10.2.3.4')).toBeUndefined();
    expect(codeOf({}, '127.0.0.1')).toBeUndefined();
    expect(codeOf({}, '192.0.2.7')).toBe('TLS_REQUIRED');
    expect(codeOf({}, '')).toBe('TLS_REQUIRED');
  });

  it('is not checked with our own TLS, or on a loopback address', () => {
    expect(codeOf({ tls: true }, '192.0.2.7')).toBeUndefined();
    expect(codeOf({ local: true }, '127.0.0.1')).toBeUndefined();
  });
});
