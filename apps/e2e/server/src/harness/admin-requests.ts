import type { Json } from './buy-request.js';
import type { Owned } from './own-everything.js';

/** One request of the routes for people and scripts that names something somebody owns. */
export interface AdminRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the description of the routes has it. */
  readonly route: string;
  readonly path: (named: Owned) => string;
  readonly body?: (named: Owned) => Json;
}

const at = (
  method: AdminRequest['method'],
  route: string,
  name: (named: Owned) => string,
  body?: (named: Owned) => Json,
): AdminRequest => ({
  method,
  route,
  path: (named) => route.replace(/\{\w+\}/, encodeURIComponent(name(named))),
  ...(body === undefined ? {} : { body }),
});

const why = (): Json => ({ reason: 'A test.' });
const until = '2099-01-01';

/**
 * Every route with a name in its address, and those whose body or query names something. The tests of isolation send
 * each, and fail for a route that has none here. What reads comes before what changes, and what ends a thing is last.
 */
export const adminRequests: readonly AdminRequest[] = [
  at('GET', '/v1/events/{id}', ({ eventId }) => eventId),
  {
    method: 'GET',
    route: '/v1/events/{id}',
    path: ({ eventId }) => `/v1/events/${encodeURIComponent(eventId)}?raw=true`,
  },
  at('GET', '/v1/custody/{id}', ({ custodyId }) => custodyId),
  at('GET', '/v1/buys/{id}', ({ mediaBuyId }) => mediaBuyId),
  at('GET', '/v1/ledger/entries/{id}', ({ mediaBuyId }) => mediaBuyId),
  at('GET', '/v1/relay/{name}/address', ({ seller }) => seller),
  {
    method: 'GET',
    route: '/v1/custody',
    path: ({ principalId, seller }) => `/v1/custody?principal_id=${principalId}&seller=${seller}`,
  },
  {
    method: 'GET',
    route: '/v1/custody/export',
    path: ({ principalId }) => `/v1/custody/export?principal_id=${principalId}`,
  },
  {
    method: 'GET',
    route: '/v1/custody/verify',
    path: ({ principalId }) => `/v1/custody/verify?principal_id=${principalId}`,
  },
  {
    method: 'GET',
    route: '/v1/delegations',
    path: ({ principalId }) => `/v1/delegations?principal_id=${principalId}`,
  },
  { method: 'GET', route: '/v1/approvals', path: ({ seller }) => `/v1/approvals?seller=${seller}` },
  { method: 'GET', route: '/v1/events', path: ({ seller }) => `/v1/events?seller=${seller}` },
  at('POST', '/v1/events/{id}/admit', ({ eventId }) => eventId, why),
  at('POST', '/v1/events/{id}/dismiss', ({ eventId }) => eventId, why),
  at(
    'POST',
    '/v1/approvals/{id}/answer',
    ({ approvalId }) => approvalId,
    () => ({ answer: {} }),
  ),
  at('POST', '/v1/approvals/{id}/dismiss', ({ approvalId }) => approvalId, why),
  at('POST', '/v1/alarms/{id}/acknowledge', ({ alarmId }) => alarmId, why),
  at(
    'POST',
    '/v1/accounts/{id}/status',
    ({ accountId }) => accountId,
    () => ({
      status: 'active',
      ...why(),
    }),
  ),
  at(
    'POST',
    '/v1/legs/{id}/settle',
    ({ legId }) => legId,
    () => ({ outcome: 'not-made', ...why() }),
  ),
  at(
    'POST',
    '/v1/credentials/{id}/rotate',
    ({ credentialId }) => credentialId,
    () => ({ secret: 'x' }),
  ),
  at(
    'POST',
    '/v1/principals/{name}/tokens',
    ({ principalName }) => principalName,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/principals/{name}/rotate',
    ({ principalName }) => principalName,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/principals/{name}/identities',
    ({ principalName }) => principalName,
    () => ({
      kind: 'certificate',
      subject: 'dns:other.example',
    }),
  ),
  at(
    'POST',
    '/v1/principals/{name}/signers',
    ({ principalName }) => principalName,
    () => ({
      agent_url: 'https://other.brand.example',
      jwks_uri: 'https://other.brand.example/jwks.json',
    }),
  ),
  {
    method: 'POST',
    route: '/v1/delegations',
    path: () => '/v1/delegations',
    body: ({ principalId, seller }) => ({
      principal_id: principalId,
      seller,
      tasks: ['create_media_buy'],
      until,
    }),
  },
  {
    method: 'POST',
    route: '/v1/tokens',
    path: () => '/v1/tokens',
    body: ({ principalName }) => ({ principal: principalName }),
  },
  {
    method: 'POST',
    route: '/v1/keys/rotate',
    path: () => '/v1/keys/rotate',
    body: ({ principalName }) => ({ principal: principalName }),
  },
  at('DELETE', '/v1/identities/{id}', ({ identityId }) => identityId),
  at('DELETE', '/v1/signers/{id}', ({ signerId }) => signerId),
  at('DELETE', '/v1/tokens/{id}', ({ tokenId }) => tokenId),
  at('DELETE', '/v1/delegations/{id}', ({ delegationId }) => delegationId, why),
  at('DELETE', '/v1/principals/{name}', ({ principalName }) => principalName),
];

/** Routes that change something and name nothing that is anybody's. With `adminRequests` and the lists these are all. */
export const namelessRequests: ReadonlySet<string> = new Set([
  'POST /v1/sellers',
  'POST /v1/sellers/import',
  'POST /v1/principals',
  'POST /v1/credentials/rewrap',
]);
