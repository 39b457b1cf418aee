import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import type { Egress } from '@switchyard/sellers';
import { startServer, type TestServer } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { proofSigner } from '../testkit/signed-files.js';
import { findSigner, type KnownSigners } from './find-signer.js';
import { fetchKeysAt } from './published-keys.js';
import { storedSigners } from './stored-signers.js';

const agency = proofSigner('agency.test', 'current');
const retired = proofSigner('agency.test', 'retired');
const neighbour = proofSigner('neighbour.test', 'of another tenant');
const vendor = proofSigner(undefined, 'of a vendor');
const folder = mkdtempSync(join(tmpdir(), 'switchyard-signers-'));

let server: TestServer;
let egress: Egress;
/** Answers by host and path. */
const served = new Map<string, JsonObject>();
const requested: string[] = [];
const at = (host: string, path = ''): string => `http://${host}:${new URL(server.url).port}${path}`;

beforeAll(async () => {
  server = await startServer((request, response) => {
    const place = `${(request.headers.host ?? '').replace(/:\d+$/, '')}${request.url ?? ''}`;
    requested.push(place);
    const answer = served.get(place);
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  const resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  egress = createEgress({ allowLoopback: true }, { resolver });
});
afterAll(async () => {
  await egress.close();
  await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  served.clear();
  requested.length = 0;
});

const keysOf = (...signers: readonly { readonly keySet: { readonly keys: JsonObject[] } }[]): JsonObject => ({
  keys: signers.flatMap(({ keySet }) => keySet.keys),
});
const bare = ({ key }: { readonly key: JsonObject }): JsonObject => ({ keys: [key] });

function known(): KnownSigners {
  return {
    options: { fetch: true },
    jwks: undefined,
    stored: storedSigners({ cwd: folder } as CliDeps, '.', '2026-11-29T00:00:00.000Z'),
    fetched: (domain) => fetchKeysAt(egress, at(domain), domain),
  };
}

describe('the keys that a domain publishes', () => {
  const withBrand = (...urls: readonly string[]): void => {
    const agents = urls.map((url) => ({ type: 'buying', url: `${url}/mcp`, jwks_uri: url }));
    served.set('agency.test/.well-known/brand.json', { agents });
  };

  it('are those of the sets that its brand.json names, of this domain alone, retired ones with them', async () => {
    withBrand(at('hub.test', '/.well-known/jwks.json'), at('vendor.test', '/jwks.json'));
    served.set('hub.test/.well-known/jwks.json', keysOf(agency, neighbour));
    served.set('hub.test/.well-known/switchyard/retired-keys.json', keysOf(retired));
    served.set('vendor.test/jwks.json', bare(vendor));
    const found = await fetchKeysAt(egress, at('agency.test'), 'agency.test');
    expect(found.ok && found.value.map(({ kid }) => kid)).toEqual(['current', 'retired']);
  });

  it('are those of its own set if no brand.json names one', async () => {
    served.set('agency.test/.well-known/jwks.json', bare(vendor));
    const found = await fetchKeysAt(egress, at('agency.test'), 'agency.test');
    expect(found.ok && found.value.map(({ kid }) => kid)).toEqual(['of a vendor']);
  });

  it('make a signer known, who is stored: the next check needs no network, and another key is told', async () => {
    withBrand(at('hub.test', '/.well-known/jwks.json'));
    served.set('hub.test/.well-known/jwks.json', keysOf(agency));
    expect(await findSigner(known(), agency.key, 'agency.test')).toMatchObject({ found: 'published' });
    requested.length = 0;
    const offline = { ...known(), options: {} };
    expect(await findSigner(offline, agency.key, 'agency.test')).toMatchObject({ found: 'stored' });
    expect(requested).toEqual([]);
    served.set('hub.test/.well-known/jwks.json', keysOf(retired));
    expect(await findSigner(known(), retired.key, 'agency.test')).toMatchObject({
      found: 'published',
      says: 'agency.test signs with another key than the one that is stored here.',
    });
  });

  it('make nobody else known: not another tenant there, and nobody while they cannot be read', async () => {
    withBrand(at('hub.test', '/.well-known/jwks.json'));
    served.set('hub.test/.well-known/jwks.json', keysOf(agency, neighbour));
    const other = await findSigner(known(), neighbour.key, 'agency.test');
    expect([other.found, other.says]).toEqual([undefined, 'Its key is not in the key set.']);
    served.clear();
    const none = await findSigner(known(), neighbour.key, 'agency.test');
    expect([none.found, none.says]).toEqual([undefined, expect.stringContaining('answered 404')]);
  });
});
