import type { PeerCertificate, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Egress, EgressRequest } from '@switchyard/sellers';
import {
  makeAuthority,
  startServer,
  type TestAuthority,
  type TestCertificate,
  type TestServer,
} from '@switchyard/testing';
import { Secret } from '@switchyard/values';
import { createEgress } from './create-egress.js';

/** A certificate of ours, at servers that demand one and write down who has called. */
let authority: TestAuthority;
let client: Egress;
const callers: (string | undefined)[] = [];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(() => {
  authority = makeAuthority();
  client = createEgress({ allowLoopback: true }, { authorities: [authority.cert] });
  closers.push(() => client.close());
});
afterAll(() => Promise.all(closers.map((close) => close())));

/** One that takes certificates of the authority alone, or asks for one and takes everybody. */
async function demanding(more: object = {}): Promise<TestServer> {
  const own = authority.issue();
  const server = await startServer(
    ({ socket }, response) => {
      const { subject } = (socket as TLSSocket).getPeerCertificate() as Partial<PeerCertificate>;
      callers.push(subject?.CN?.toString());
      response.end('hello');
    },
    { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true, ...more },
  );
  closers.push(() => server.close());
  return server;
}

const shown = (id: string, { cert, key }: TestCertificate): Pick<EgressRequest, 'certificate'> => ({
  certificate: { id, pem: new Secret(Buffer.from(`${cert}\n${key}\n`)) },
});
const get = (url: string, more: Partial<EgressRequest> = {}) =>
  client.request({ method: 'GET', url, maxBytes: 1_024, timeoutMs: 10_000, ...more });

describe.each([['TLSv1.3'], ['TLSv1.2']] as const)('a server that demands a certificate in %s', (version) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await demanding({ minVersion: version, maxVersion: version });
  });

  it('is called with ours, and by nobody who shows none, one of a stranger, or one that has ended', async () => {
    callers.length = 0;
    const ours = authority.issue({ names: ['agency.example'] });
    const strangers = makeAuthority().issue({ names: ['agency.example'] });
    const ended = authority.issue({ names: ['agency.example'], days: -1 });
    expect(await get(server.url, shown('ours:1', ours))).toMatchObject({ ok: true, value: { status: 200 } });
    expect(await get(server.url)).toMatchObject({ ok: false });
    expect(await get(server.url, shown('strangers:1', strangers))).toMatchObject({ ok: false });
    expect(await get(server.url, shown('ended:1', ended))).toMatchObject({ ok: false });
    expect(callers).toEqual(['agency.example']);
  });
});

it('says of a server that ends the handshake that it wants a certificate, and has sent nothing', async () => {
  const server = await demanding({ maxVersion: 'TLSv1.2' });
  expect(await get(server.url)).toMatchObject({
    error: { code: 'connect_failed', fault: 'certificate_wanted', delivered: 'no' },
  });
});

describe('a certificate', () => {
  it('is shown by each version alone, and at no other server', async () => {
    callers.length = 0;
    const [first, second] = [await demanding(), await demanding({ rejectUnauthorized: false })];
    const names = ['one.example', 'two.example'] as const;
    const [one, two] = [authority.issue({ names: [names[0]] }), authority.issue({ names: [names[1]] })];
    await get(first.url, shown('ours:1', one));
    await get(first.url, shown('ours:2', two));
    await get(first.url, shown('ours:1', one));
    await get(second.url);
    expect(callers).toEqual([names[0], names[1], names[0], undefined]);
  });
});
