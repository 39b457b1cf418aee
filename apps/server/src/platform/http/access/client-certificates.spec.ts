import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '@switchyard/tenancy';
import { Secret } from '@switchyard/values';
import { now, openHttpHarness, type HttpHarness } from '../../../main/testkit/http-harness.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-mtls-'));
const at = (name: string): string => join(folder, name);
const openssl = (...args: string[]): void =>
  void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });

/** A certificate of an authority, with alternative names, and its key. */
function issue(name: string, authority: string, names: string, days = 3650): void {
  writeFileSync(at(`${name}.ext`), `subjectAltName=${names}`);
  const subject = `/O=Acme/CN=${name}`;
  openssl(
    'req',
    '-newkey',
    'ed25519',
    '-nodes',
    '-keyout',
    `${name}.key`,
    '-subj',
    subject,
    '-out',
    `${name}.csr`,
  );
  const signing = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
  const dates = ['-days', String(days), '-extfile', `${name}.ext`];
  openssl('x509', '-req', '-in', `${name}.csr`, ...signing, ...dates, '-out', `${name}.pem`);
}

let http: HttpHarness;
/** The endpoints' own time, or the time at which the certificates were made. */
let clockNow = (): number => now;
const registered = new Map<string, Partial<Principal> & { readonly disabledAt?: number }>();
const agent: Principal = {
  id: '00000000-0000-4000-8000-000000000901',
  organizationId: '00000000-0000-4000-8000-000000000002',
  name: 'agent',
  kind: 'buyer',
  permissions: { products: ['read'] },
  transitional: false,
  legacy: false,
};

beforeAll(async () => {
  for (const authority of ['ca', 'other']) {
    const made = ['-x509', '-newkey', 'ed25519', '-nodes', '-days', '3650', '-subj', `/CN=${authority}`];
    openssl('req', ...made, '-keyout', `${authority}.key`, '-out', `${authority}.pem`);
  }
  issue('server', 'ca', 'DNS:localhost,IP:127.0.0.1');
  issue('agent', 'ca', 'DNS:Agent.Example,URI:spiffe://acme/agent');
  issue('stranger', 'other', 'DNS:agent.example');
  issue('edge', 'ca', 'DNS:edge.internal');
  http = await openHttpHarness(
    {
      tls: {
        certificate: readFileSync(at('server.pem'), 'utf8'),
        key: new Secret(readFileSync(at('server.key'))),
      },
      clientCertificates: { authorities: readFileSync(at('ca.pem'), 'utf8'), proxies: ['dns:edge.internal'] },
    },
    {
      identities: (kind, issuer, subjects) =>
        subjects.flatMap((subject) => {
          const known = registered.get(`${kind} ${issuer} ${subject}`);
          if (known === undefined) return [];
          const { disabledAt, ...more } = known;
          const off = disabledAt === undefined ? {} : { disabledAt };
          return [{ principal: { ...agent, ...more }, createdAt: 0, isProved: false, ...off }];
        }),
      clock: { now: () => clockNow(), after: () => () => undefined },
    },
  );
});
afterAll(() => http.close());
beforeEach(() => {
  clockNow = () => now;
  http.calls.length = 0;
  registered.clear();
  registered.set('certificate  dns:agent.example', {});
});

function post(
  shown: string | undefined,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  maxVersion?: 'TLSv1.1',
) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const query = httpsRequest(
      `${http.url}/v1/tasks/get_products`,
      {
        method: 'POST',
        ca: readFileSync(at('ca.pem')),
        headers: { 'content-type': 'application/json', ...headers },
        ...(shown === undefined
          ? {}
          : { cert: readFileSync(at(`${shown}.pem`)), key: readFileSync(at(`${shown}.key`)) }),
        ...(maxVersion === undefined
          ? {}
          : { maxVersion, minVersion: 'TLSv1' as const, ciphers: 'DEFAULT@SECLEVEL=0' }),
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    query.on('error', reject);
    query.end('{"brief":"x"}');
  });
}

const clientCert = (name: string): Record<string, string> => {
  const base64 = readFileSync(at(`${name}.pem`), 'utf8').replace(/-----[^-]+-----|\s/g, '');
  return { 'client-cert': `:${base64}:` };
};

describe('a client certificate', () => {
  it.each(['dns:agent.example', 'uri:spiffe://acme/agent', 'subject:CN=agent,O=Acme'])(
    'authenticates the principal that its name %s was registered for',
    async (name) => {
      registered.clear();
      registered.set(`certificate  ${name}`, {});
      expect((await post('agent')).status).toBe(200);
      expect(http.calls[0]?.caller).toMatchObject({ kind: 'principal', name: 'agent' });
    },
  );

  it('that no known authority signed is refused, with any names', async () => {
    expect(await post('stranger')).toMatchObject({
      status: 401,
      text: expect.stringContaining('AUTH_INVALID'),
    });
    expect(http.calls).toEqual([]);
  });

  it('that is of no principal, or of two, is refused, and never treated as a public caller', async () => {
    registered.set('certificate  uri:spiffe://acme/agent', { id: '00000000-0000-4000-8000-000000000902' });
    expect((await post('agent')).status).toBe(401);
    registered.clear();
    expect((await post('agent')).status).toBe(401);
    expect(http.calls).toEqual([]);
  });

  it('is refused once its principal is disabled', async () => {
    registered.set('certificate  dns:agent.example', { disabledAt: now });
    expect(await post('agent')).toMatchObject({
      status: 401,
      text: expect.stringContaining('disabled principal'),
    });
    registered.set('certificate  dns:agent.example', { disabledAt: now + 1 });
    expect((await post('agent')).status).toBe(200);
  });

  it('is optional: without one the caller has its other credential, or is public', async () => {
    expect((await post(undefined)).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({ kind: 'public' });
  });

  it('beside a token must be of the same principal', async () => {
    const bearer = { authorization: `Bearer ${http.token}` };
    expect((await post('agent', bearer)).status).toBe(401);
    registered.set('certificate  dns:agent.example', {
      id: '00000000-0000-4000-8000-000000000101',
      permissions: { products: ['read'], ledger: ['read'] },
    });
    expect((await post('agent', bearer)).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({ permissions: { products: ['read'], ledger: ['read'] } });
  });

  it('is read from Client-Cert of a proxy with its own certificate, and of nobody else', async () => {
    clockNow = () => Date.now();
    expect((await post('edge', clientCert('agent'))).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({ name: 'agent' });
    expect((await post(undefined, clientCert('agent'))).status).toBe(401);
    expect((await post('agent', clientCert('agent'))).status).toBe(401);
    expect((await post('stranger', clientCert('agent'))).status).toBe(401);
    const { 'client-cert': value = '' } = clientCert('agent');
    expect((await post('edge', { 'client-cert': [value, value] })).status).toBe(401);
    expect(http.calls).toHaveLength(1);
  });

  it('that a proxy forwards must be valid now', async () => {
    clockNow = () => Date.now() + 4000 * 24 * 3600 * 1000;
    expect((await post('edge', clientCert('agent'))).status).toBe(401);
    expect(http.calls).toEqual([]);
  });

  it('of a proxy is its own and no credential of its caller', async () => {
    registered.set('certificate  dns:edge.internal', {});
    expect((await post('edge')).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({ kind: 'public' });
    expect((await post('edge', { 'client-cert': 'CN=agent' })).status).toBe(401);
  });

  it('is never accepted as a name in a header', async () => {
    const headers = { 'x-ssl-client-s-dn': 'CN=agent,O=Acme', 'x-client-cert-dn': 'CN=agent,O=Acme' };
    await post(undefined, headers);
    expect(http.calls[0]?.caller).toMatchObject({ kind: 'public' });
  });

  it('requires TLS 1.2 or later', async () => {
    await expect(post('agent', {}, 'TLSv1.1')).rejects.toThrow(/protocol|version|alert/i);
  });
});
