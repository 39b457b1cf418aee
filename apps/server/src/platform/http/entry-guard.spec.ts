import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { entryGuard, type EntryRules } from './entry-guard.js';

const codeOf = (rules: EntryRules, headers: { readonly origin?: string; readonly host?: string }) => {
  const request = { headers, raw: { socket: { remoteAddress: '127.0.0.1' }, rawHeaders: [] } };
  const body = entryGuard(rules)(request as unknown as FastifyRequest)?.body;
  return (body as { readonly errors: readonly { readonly code: string }[] } | undefined)?.errors[0]?.code;
};
const local: EntryRules = { local: true, tls: false, trustedProxies: [] };
const open: EntryRules = {
  local: false,
  tls: true,
  trustedProxies: [],
  publicUrl: 'https://switchyard.example',
};
const stored = 'ORIGIN_NOT_ALLOWED';

describe('a web page', () => {
  it('may call its own origin, and no page of another origin may', () => {
    expect(codeOf(local, { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' })).toBeUndefined();
    expect(codeOf(local, { origin: 'http://localhost:8080', host: 'localhost:8080' })).toBeUndefined();
    expect(codeOf(local, { origin: 'http://127.0.0.1:9090', host: '127.0.0.1:8080' })).toBe(stored);
    expect(codeOf(local, { origin: 'https://evil.example', host: '127.0.0.1:8080' })).toBe(stored);
    expect(codeOf(local, { origin: 'null', host: '127.0.0.1:8080' })).toBe(stored);
    expect(codeOf(local, { origin: 'https://evil.example' })).toBe(stored);
  });

  it('whose name was made to resolve to loopback may not call, even with itself as the host', () => {
    const rebound = { origin: 'http://evil.example:8080', host: 'evil.example:8080' };
    expect(codeOf(local, rebound)).toBe(stored);
  });

  it('may come from the public address, with any proxy in between', () => {
    expect(codeOf(open, { origin: 'https://switchyard.example', host: '10.0.0.7:8080' })).toBeUndefined();
    expect(codeOf(open, { origin: 'https://evil.example', host: 'switchyard.example' })).toBe(stored);
  });
});

describe('a client that is no web page', () => {
  it('names no origin and is accepted under a name of ours', () => {
    for (const host of ['127.0.0.1:7420', 'localhost:7420', '[::1]:7420', 'LOCALHOST'])
      expect(codeOf(local, { host })).toBeUndefined();
    expect(codeOf(local, {})).toBeUndefined();
    const behind = { ...local, publicUrl: 'https://switchyard.example' };
    expect(codeOf(behind, { host: 'switchyard.example' })).toBeUndefined();
    expect(codeOf(open, { host: '10.0.0.7:8080' })).toBeUndefined();
  });

  it('is refused on loopback under any other name, because a rebound page sends no origin when it reads', () => {
    for (const host of ['evil.example', 'evil.example:7420', '127.0.0.1.evil.example', 'a b'])
      expect(codeOf(local, { host })).toBe('HOST_NOT_ALLOWED');
  });
});
