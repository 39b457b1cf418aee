import { describe, expect, it } from '@jest/globals';
import { err, ok, type JsonObject } from '@switchyard/values';
import { keyWorld, type Served } from '../keys/testkit/key-world.js';
import { readAuthorizationServer, type OAuthGrant } from './authorization-server.js';
import { pinIssuer } from './issuer-pin.js';
import { readProtectedResource, type NamedMetadata } from './protected-resource.js';

const agent = 'https://agent.marlin.com/mcp';
const place = 'https://agent.marlin.com/.well-known/oauth-protected-resource/mcp';
const root = 'https://agent.marlin.com/.well-known/oauth-protected-resource';
const issuer = 'https://id.reefgate.com/t/marlin';
const issuerPlace = 'https://id.reefgate.com/.well-known/oauth-authorization-server/t/marlin';
const openIdPlace = 'https://id.reefgate.com/t/marlin/.well-known/openid-configuration';

const json = (body: JsonObject, type = 'application/json'): Served => ({
  json: body,
  headers: { 'content-type': type },
});
const resource = { resource: agent, authorization_servers: [issuer], bearer_methods_supported: ['header'] };
const server = {
  issuer,
  token_endpoint: `${issuer}/token`,
  authorization_endpoint: `${issuer}/auth`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: ['client_credentials', 'authorization_code'],
  token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic'],
};
const quoted = (value: string): NamedMetadata => ({ value, isQuoted: true });

/** Documents by address. The guard refuses plain http and a link-local address, as the real one does. */
function world(documents: Record<string, Served>) {
  const made = keyWorld(documents);
  const checkUrl = (url: string) =>
    Promise.resolve(
      /^https:\/\/(?!169\.254\.)/.test(url)
        ? ok(undefined)
        : err({ code: 'blocked_address' as const, message: '', delivered: 'no' as const }),
    );
  return { requested: made.requested, egress: { ...made.egress, checkUrl } };
}

async function resourceCode(documents: Record<string, Served>, named?: NamedMetadata) {
  const { egress } = world(documents);
  const read = await readProtectedResource(egress, agent, named);
  return read.ok ? read.value?.issuers : `${read.error.state} ${read.error.code}`;
}

async function serverCode(document: JsonObject | Served, grant: OAuthGrant = 'authorization_code') {
  const served = 'json' in document || 'status' in document ? (document as Served) : json(document);
  const { egress } = world({ [issuerPlace]: served });
  const read = await readAuthorizationServer(egress, issuer, grant);
  return read.ok ? 'ok' : `${read.error.state} ${read.error.code}`;
}

describe('the metadata of a seller that answers 401', () => {
  it('is read where its challenge says, else at the well-known address with its path, then without', async () => {
    expect(await resourceCode({ [place]: json(resource) }, quoted(place))).toEqual([issuer]);
    expect(await resourceCode({ [place]: json(resource) })).toEqual([issuer]);
    expect(await resourceCode({ [root]: json(resource) })).toEqual([issuer]);
    expect(await resourceCode({})).toBeUndefined();
  });

  it('is read at the well-known address if the challenge names one without quotes', async () => {
    const documents = { [place]: json(resource) };
    expect(await resourceCode(documents, { value: 'https://trap.com/p', isQuoted: false })).toEqual([issuer]);
  });

  it.each<[string, NamedMetadata | undefined, Served, string]>([
    ['named over http', quoted('http://agent.marlin.com/p'), json(resource), 'resource_metadata_insecure'],
    ['named at another origin', quoted('https://trap.com/p'), json(resource), 'resource_metadata_elsewhere'],
    [
      'about the origin only',
      undefined,
      json({ ...resource, resource: 'https://agent.marlin.com' }),
      'resource_mismatch',
    ],
    ['about one slash more', undefined, json({ ...resource, resource: `${agent}/` }), 'resource_mismatch'],
    [
      'with no server in its list',
      undefined,
      json({ ...resource, authorization_servers: [] }),
      'authorization_servers_empty',
    ],
    [
      'with a server over http',
      undefined,
      json({ ...resource, authorization_servers: ['http://id.com'] }),
      'issuer_insecure',
    ],
    [
      'with a server with a query',
      undefined,
      json({ ...resource, authorization_servers: [`${issuer}?a=1`] }),
      'issuer_malformed',
    ],
    [
      'with a user in a server',
      undefined,
      json({ ...resource, authorization_servers: ['https://a@id.com'] }),
      'issuer_malformed',
    ],
    [
      'with a list of numbers',
      undefined,
      json({ ...resource, authorization_servers: [1] }),
      'authorization_servers_malformed',
    ],
    ['sent as text/html', undefined, json(resource, 'text/html'), 'metadata_not_json'],
    [
      'redirected to another site',
      undefined,
      { status: 302, location: 'https://trap.com/' },
      'metadata_redirects',
    ],
    ['redirected for ever', undefined, { status: 302, location: place }, 'metadata_redirects'],
    ['answered with an error', undefined, { status: 500 }, 'metadata_unreadable'],
    ['too large', undefined, { failure: 'too_large' }, 'metadata_too_large'],
  ])('is refused if it is %s', async (_, named, served, code) => {
    expect(await resourceCode({ [place]: served }, named)).toBe(`failed ${code}`);
  });

  it('without a list of servers is left to a person', async () => {
    expect(await resourceCode({ [place]: json({ resource: agent }) })).toBe(
      'needs_person authorization_servers_missing',
    );
  });

  it('names the same agent in capitals and with the default port', async () => {
    const spelled = 'HTTPS://AGENT.marlin.com:443/mcp';
    expect(await resourceCode({ [place]: json({ ...resource, resource: spelled }) })).toEqual([issuer]);
  });
});

describe('an issuer', () => {
  it('on the site of the agent is pinned, and one elsewhere waits for a person', () => {
    expect(pinIssuer(agent, ['https://id.marlin.com'], {})).toEqual(
      ok({ issuer: 'https://id.marlin.com', why: 'same_site' }),
    );
    expect(pinIssuer(agent, [issuer], {})).toMatchObject({
      error: {
        state: 'needs_person',
        code: 'issuer_unpinned',
        words: expect.stringContaining('id.reefgate.com'),
      },
    });
    expect(pinIssuer(agent, [issuer], { named: issuer })).toEqual(ok({ issuer, why: 'person' }));
  });

  it('on loopback is on the site of the agent only at its own port', () => {
    const own = 'http://127.0.0.1:4000';
    expect(pinIssuer(`${own}/mcp`, [own], {}).ok).toBe(true);
    expect(pinIssuer(`${own}/mcp`, ['http://127.0.0.1:4001'], {}).ok).toBe(false);
  });

  it('that a person names has to be one that the seller names, as it spells it', () => {
    expect(pinIssuer(agent, [issuer], { named: `${issuer}/` })).toMatchObject({
      error: { code: 'issuer_not_offered' },
    });
  });

  it('never replaces the one that was pinned first (mix-up)', () => {
    const pinned = { issuer, why: 'person' } as const;
    expect(pinIssuer(agent, ['https://id.marlin.com'], { pinned })).toMatchObject({
      error: { state: 'needs_person', code: 'issuer_changed' },
    });
    expect(pinIssuer(agent, ['https://id.marlin.com', issuer], { pinned })).toEqual(ok(pinned));
  });
});

describe('the metadata of an authorization server', () => {
  it('is taken with a token endpoint alone for a grant without a person', async () => {
    const { authorization_endpoint: _, response_types_supported: __, ...alone } = server;
    expect(
      await serverCode({ ...alone, grant_types_supported: ['client_credentials'] }, 'client_credentials'),
    ).toBe('ok');
    expect(await serverCode(server)).toBe('ok');
  });

  it('is read from OpenID Connect discovery where RFC 8414 has nothing', async () => {
    const { egress, requested } = world({ [openIdPlace]: json(server) });
    expect((await readAuthorizationServer(egress, issuer, 'authorization_code')).ok).toBe(true);
    expect(requested[0]).toBe(issuerPlace);
  });

  it.each<[string, JsonObject, string]>([
    ['its issuer has one slash more', { issuer: `${issuer}/` }, 'issuer_mismatch'],
    ['its issuer is a template', { issuer: 'https://id.reefgate.com/{tenantid}' }, 'issuer_mismatch'],
    [
      'its token endpoint is a link-local address',
      { token_endpoint: 'https://169.254.169.254/token' },
      'token_endpoint_blocked',
    ],
    [
      'its token endpoint is plain http',
      { token_endpoint: 'http://id.reefgate.com/token' },
      'token_endpoint_insecure',
    ],
    [
      'its authorization endpoint is plain http',
      { authorization_endpoint: 'http://id.reefgate.com/a' },
      'authorization_endpoint_insecure',
    ],
    [
      'its authorization endpoint is a script',
      { authorization_endpoint: 'javascript:alert(1)' },
      'authorization_endpoint_insecure',
    ],
    [
      'it declares the plain challenge alone (downgrade)',
      { code_challenge_methods_supported: ['plain'] },
      'pkce_missing',
    ],
    ['it declares no response types', { response_types_supported: [] }, 'code_not_offered'],
    ['it does not offer the grant', { grant_types_supported: ['implicit'] }, 'grant_not_offered'],
    [
      'it takes clients by their certificate alone',
      { token_endpoint_auth_methods_supported: ['tls_client_auth'] },
      'auth_method_unsupported',
    ],
    ['its grants are no list', { grant_types_supported: 'all' }, 'grant_types_supported_malformed'],
  ])('is refused if %s', async (_, change, code) => {
    expect(await serverCode({ ...server, ...change })).toBe(`failed ${code}`);
  });

  it('is refused if it declares no PKCE, has no document, or is redirected elsewhere', async () => {
    const { code_challenge_methods_supported: _, ...silent } = server;
    expect(await serverCode(silent)).toBe('failed pkce_missing');
    expect(await serverCode({ status: 404 })).toBe('failed issuer_without_metadata');
    expect(await serverCode({ status: 302, location: 'https://trap.com' })).toBe('failed metadata_redirects');
  });
});
