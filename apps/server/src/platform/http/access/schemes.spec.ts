import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ok } from '@switchyard/values';
import { cardSchemes, fullChallenge, resourceMetadata } from './schemes.js';
import { openHttpHarness, type HttpHarness } from '../../../main/testkit/http-harness.js';

const url = 'https://switchyard.example';
const plain = { issuers: [], certificates: false };
const federated = { issuers: ['https://login.example/tenant'], certificates: true };
const bearer = 'Bearer realm="switchyard", error="invalid_token"';

describe('the advertised authentication schemes', () => {
  it('are those that are accepted, with the metadata of a trusted issuer', () => {
    const basic = ', Basic realm="switchyard", charset="UTF-8"';
    expect(fullChallenge(bearer, url, '/mcp', plain)).toBe(bearer + basic);
    const metadata = `, resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;
    expect(fullChallenge(bearer, url, '/mcp?a=1', federated)).toBe(bearer + metadata + basic);
    expect(fullChallenge(bearer, url, '/v1/sellers', federated)).toBe(
      bearer + metadata.replace('/mcp', '/v1') + basic,
    );
    expect(fullChallenge(bearer, url, '/mcpx', federated)).toBe(bearer + basic);
  });

  it('do not change the challenge of a signature', () => {
    const signature = 'Signature error="request_signature_invalid"';
    expect(fullChallenge(signature, url, '/mcp', federated)).toBe(signature);
  });

  it('have metadata only for a trusted issuer that can be named there', () => {
    expect(resourceMetadata(url, '/a2a', federated)).toEqual({
      resource: `${url}/a2a`,
      authorization_servers: ['https://login.example/tenant'],
      bearer_methods_supported: ['header'],
      resource_name: 'Switchyard',
    });
    expect(resourceMetadata(url, '/a2a', plain)).toBeUndefined();
    expect(resourceMetadata(url, '/relay', federated)).toBeUndefined();
    const odd = ['http://login.example', 'https://u:p@login.example', 'https://l.example/?t=1', 'name'];
    expect(resourceMetadata(url, '/mcp', { issuers: odd, certificates: false })).toBeUndefined();
  });

  it('are in the card, each sufficient alone, and only the configured ones', () => {
    expect(cardSchemes(plain).map(({ name }) => name)).toEqual(['bearerAuth', 'basicAuth']);
    expect(cardSchemes(federated).map(({ name }) => name)).toEqual([
      'bearerAuth',
      'basicAuth',
      'jwtAuth',
      'certificate',
    ]);
    expect(cardSchemes(federated).at(-1)).toMatchObject({ v03: { type: 'mutualTLS' } });
    expect(cardSchemes(federated)[2]).toMatchObject({ v03: { bearerFormat: 'JWT' } });
  });
});

describe('the endpoints of an installation that trusts an issuer', () => {
  let http: HttpHarness;
  beforeAll(async () => {
    http = await openHttpHarness(
      {},
      {
        issuedTokens: {
          issuers: ['https://login.example'],
          verify: () => Promise.resolve(ok({ issuer: 'https://login.example', subject: 'agent-7' })),
        },
      },
    );
  });
  afterAll(() => http.close());

  it('have an address of their metadata, and serve it, of each agent under its own address', async () => {
    for (const agent of ['mcp', 'a2a']) {
      const refused = await http.post(`/${agent}`, {}, { authorization: 'Bearer nobody-knows-this' });
      const challenge = refused.headers.get('www-authenticate') ?? '';
      const at = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
      expect(await (await fetch(at)).json()).toMatchObject({
        resource: `${http.url}/${agent}`,
        authorization_servers: ['https://login.example'],
      });
    }
    const card = (await (await fetch(`${http.url}/.well-known/agent-card.json`)).json()) as object;
    expect(card).toMatchObject({
      securitySchemes: { jwtAuth: { type: 'http', bearerFormat: 'JWT' } },
      security: [{ bearerAuth: [] }, { basicAuth: [] }, { jwtAuth: [] }],
    });
  });

  it('have no metadata at any other address', async () => {
    for (const path of ['/relay', '/nothing', '']) {
      expect((await fetch(`${http.url}/.well-known/oauth-protected-resource${path}`)).status).toBe(404);
    }
  });
});

describe('the endpoints of an installation with only static credentials', () => {
  it('serve no metadata', async () => {
    const http = await openHttpHarness();
    const answer = await fetch(`${http.url}/.well-known/oauth-protected-resource/mcp`);
    expect(answer.status).toBe(404);
    await http.close();
  });
});
