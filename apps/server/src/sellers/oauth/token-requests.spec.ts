import { expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import { Buffer } from 'node:buffer';
import { tokenRequests } from './token-requests.js';

const issuer = 'https://id.example';
const server = {
  ...{ issuer, tokenEndpoint: `${issuer}/token`, tokenAuthMethods: ['client_secret_basic'], scopes: [] },
  ...{ sendsIssuer: true, takesClientDocuments: false, sha256: '' },
};

/** What comes of an answer of the token endpoint. */
async function asked(answer: Response) {
  const requests = tokenRequests({ fetchLike: () => Promise.resolve(answer) });
  const client = { server, id: 'us', secret: new Secret(Buffer.from('a-secret')) };
  return requests.byClient(client, { resource: 'https://seller.example/mcp', scopes: [] });
}

it.each([
  ['bearer', undefined],
  ['Bearer', undefined],
  ['DPoP', 'token_type_unsupported'],
] as const)('a token of the type %s is taken, or refused by a code of its own', async (type, code) => {
  const answer = { access_token: 'a-token', token_type: type, expires_in: 60 };
  const got = await asked(Response.json(answer));
  expect(got.ok ? undefined : got.error.code).toBe(code);
  if (!got.ok) expect(got.error.words).toContain('dpop');
});

it.each(['abc\r\nx-evil: 1', 'a b', 'a\u00e4'])(
  'a token that no header carries is refused: %j',
  async (token) => {
    const got = await asked(Response.json({ access_token: token, token_type: 'Bearer' }));
    expect(got.ok ? undefined : got.error).toMatchObject({ kind: 'answer', code: 'token_unusable' });
  },
);

const tenYearsMs = 10 * 365 * 86_400_000;

it.each([
  [60, 60_000],
  ['3600', 3_600_000],
  [1e12, tenYearsMs],
  [0, undefined],
  [-1, undefined],
  [null, undefined],
  ['never', undefined],
])(
  'a life of %p seconds is one of %p milliseconds, and one that is none is not told',
  async (told, lifeMs) => {
    const got = await asked(
      Response.json({ access_token: 'a-token', token_type: 'Bearer', expires_in: told }),
    );
    expect(got.ok ? got.value.lifeMs : got.error).toBe(lifeMs);
  },
);

it.each([
  ['a page', new Response('<html>', { status: 200, headers: { 'content-type': 'text/html' } })],
  ['a refusal by a page', new Response('<html>', { status: 403, headers: { 'content-type': 'text/html' } })],
  ['half an answer', new Response('{"access_token":', { headers: { 'content-type': 'application/json' } })],
])('%s says nothing about the grant, which lives on', async (_what, answer) => {
  const got = await asked(answer);
  expect(got.ok ? undefined : got.error.kind).toBe('lost');
});
