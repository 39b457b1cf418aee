import { expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import { Buffer } from 'node:buffer';
import { tokenRequests } from './token-requests.js';

const issuer = 'https://id.example';
const server = {
  ...{ issuer, tokenEndpoint: `${issuer}/token`, tokenAuthMethods: ['client_secret_basic'], scopes: [] },
  ...{ sendsIssuer: true, takesClientDocuments: false, sha256: '' },
};

it.each([
  ['bearer', undefined],
  ['Bearer', undefined],
  ['DPoP', 'token_type_unsupported'],
] as const)('a token of the type %s is taken, or refused by a code of its own', async (type, code) => {
  const answer = { access_token: 'a-token', token_type: type, expires_in: 60 };
  const fetchLike = () => Promise.resolve(Response.json(answer));
  const requests = tokenRequests({ fetchLike });
  const client = { server, id: 'us', secret: new Secret(Buffer.from('a-secret')) };
  const got = await requests.byClient(client, { resource: 'https://seller.example/mcp', scopes: [] });
  expect(got.ok ? undefined : got.error.code).toBe(code);
  if (!got.ok) expect(got.error.words).toContain('dpop');
});
