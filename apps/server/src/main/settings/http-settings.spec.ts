import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ok } from '@switchyard/values';
import type { Environment } from './settings.js';
import { readConfiguration } from './read-configuration.js';

/** The endpoints' part of a whole environment. */
function readHttp(env: Environment) {
  const read = readConfiguration(env);
  return read.ok ? ok(read.value.http) : read;
}

describe('the settings of the endpoints', () => {
  it('are empty without any variable, and with empty ones', () => {
    expect(readHttp({})).toEqual({ ok: true, value: { profile: 'local', mcpText: 'summary' } });
    expect(readHttp({ SWITCHYARD_HOST: ' ', SWITCHYARD_PUBLIC_URL: '' })).toEqual({
      ok: true,
      value: { profile: 'local', mcpText: 'summary' },
    });
  });

  it('publish the public address without a trailing slash', () => {
    const read = readHttp({
      SWITCHYARD_HOST: '10.0.0.5',
      SWITCHYARD_TRUSTED_PROXIES: '10.0.0.1',
      SWITCHYARD_PUBLIC_URL: 'https://sy.example/',
    });
    expect(read).toMatchObject({
      value: { profile: 'production', host: '10.0.0.5', publicUrl: 'https://sy.example' },
    });
  });

  it('refuse a host beyond loopback in plain text, and an invalid host', () => {
    const read = readHttp({ SWITCHYARD_HOST: '10.0.0.5' });
    expect(read).toMatchObject({ error: { code: 'settings', message: expect.stringContaining('10.0.0.5') } });
    for (const host of ['::1', 'localhost', '127.0.0.2'])
      expect(readHttp({ SWITCHYARD_HOST: host })).toMatchObject({ ok: true });
    expect(readHttp({ SWITCHYARD_HOST: 'http://10.0.0.5' })).toMatchObject({
      error: { message: expect.stringContaining('SWITCHYARD_HOST should be a host name or an IP address') },
    });
  });

  it('accept one of two texts for answers over MCP', () => {
    expect(readHttp({ SWITCHYARD_MCP_TEXT: 'json' })).toEqual({
      ok: true,
      value: { profile: 'local', mcpText: 'json' },
    });
    expect(readHttp({ SWITCHYARD_MCP_TEXT: 'xml' })).toMatchObject({ error: { code: 'settings' } });
  });

  it('list trusted proxies by address or network', () => {
    const read = readHttp({ SWITCHYARD_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16' });
    expect(read).toEqual({
      ok: true,
      value: { profile: 'production', mcpText: 'summary', trustedProxies: ['10.0.0.1', '10.1.0.0/16'] },
    });
  });

  it.each([
    ['SWITCHYARD_PUBLIC_URL', 'https://sy.example'],
    ['SWITCHYARD_TRUSTED_PROXIES', '127.0.0.1'],
    ['SWITCHYARD_HOST', '0.0.0.0'],
  ])('refuse the local profile together with %s, and name egress', (name, value) => {
    const read = readHttp({ SWITCHYARD_PROFILE: 'local', [name]: value });
    expect(read).toMatchObject({ ok: false, error: { code: 'settings' } });
    expect(JSON.stringify(read)).toContain(`Set SWITCHYARD_PROFILE=production, or remove ${name}.`);
  });

  it('are of the local profile if it is named, also at its own loopback address, and of no other profile', () => {
    const local = { SWITCHYARD_PROFILE: 'local', SWITCHYARD_PUBLIC_URL: 'http://localhost:7420' };
    expect(readHttp(local)).toMatchObject({ value: { profile: 'local' } });
    expect(readHttp({ SWITCHYARD_PROFILE: 'production' })).toMatchObject({
      value: { profile: 'production' },
    });
    expect(readHttp({ SWITCHYARD_PROFILE: 'test' })).toMatchObject({ error: { code: 'settings' } });
  });

  it('refuse a public address with a path, and half a certificate', () => {
    for (const env of [
      { SWITCHYARD_PUBLIC_URL: 'https://sy.example/buy' },
      { SWITCHYARD_PUBLIC_URL: 'sy.example' },
      { SWITCHYARD_TLS_CERT_FILE: '/nowhere.pem' },
      { SWITCHYARD_TLS_CERT_FILE: '/nowhere.pem', SWITCHYARD_TLS_KEY_FILE: '/nowhere.key' },
    ]) {
      expect(readHttp(env)).toMatchObject({ ok: false, error: { code: 'settings' } });
    }
  });

  it('read the certificate as text and its key as a secret', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-tls-'));
    const [certificate, key] = [join(folder, 'c.pem'), join(folder, 'k.pem')];
    writeFileSync(certificate, 'CERT');
    writeFileSync(key, 'KEY');
    const read = readHttp({ SWITCHYARD_TLS_CERT_FILE: certificate, SWITCHYARD_TLS_KEY_FILE: key });
    expect(JSON.stringify(read)).toBe(
      '{"ok":true,"value":{"profile":"local","mcpText":"summary","tls":{"certificate":"CERT","key":"[secret]"}}}',
    );
    rmSync(folder, { recursive: true });
  });
});
