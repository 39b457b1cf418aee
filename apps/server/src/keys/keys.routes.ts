import type { PlatformKey, RotationTimes } from '@switchyard/signing';
import type { SetUpLists } from '@switchyard/store';
import type { PrincipalDirectory } from '@switchyard/tenancy';
import { defined, err, isoOf, ok } from '@switchyard/values';
import { z } from 'zod';
import type { PlatformKeys } from './platform-keys.js';
import { instant, plainName } from '../platform/routes/fields.js';
import { madeSortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';
import { noPrincipalCalled } from '../people/index.js';

interface KeysDeps {
  readonly ownKeys: Pick<PlatformKeys, 'rotate'>;
  readonly setUp: Pick<SetUpLists, 'keys'>;
  readonly rotationTimes: RotationTimes;
  readonly principals: Pick<PrincipalDirectory, 'findByName'>;
}

const state = z.enum(['published', 'live', 'retiring', 'retired']);

/** One of our own keys, without its private half. */
const key = z.strictObject({
  kid: z.string(),
  principal: z.string().exactOptional().describe('Absent for the key of the organization itself.'),
  signs: z
    .array(z.enum(['requests', 'proofs']))
    .describe('requests: of a principal, and its webhooks. proofs: statements and heads of chains.'),
  state,
  alg: z.string(),
  kms_key_id: z
    .string()
    .exactOptional()
    .describe("The key service's own name of the key, where one holds it."),
  created_at: instant,
  live_at: instant.exactOptional(),
  retiring_at: instant.exactOptional(),
  retired_at: instant.exactOptional(),
  live_from: instant.exactOptional().describe('When a published key will sign.'),
});

const route = routesOn<KeysDeps>();

/** Our own signing keys. Their public halves are at `/.well-known/jwks.json`. */
export const keyRoutes = [
  route({
    method: 'get',
    path: '/v1/keys',
    id: 'list_keys',
    summary: 'Our own signing keys, public halves alone',
    needs: 'principals.read',
    query: z.strictObject({
      principal: plainName.exactOptional(),
      state: state.exactOptional(),
      ...madeSortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ keys: z.array(key), next_cursor: nextCursor }),
    example: {
      keys: [
        {
          kid: 'sy-2026-11-1',
          principal: 'operator',
          signs: ['requests'],
          state: 'live',
          alg: 'ed25519',
          created_at: '2026-11-20T12:00:00.000Z',
          live_at: '2026-11-21T12:00:00.000Z',
        },
      ],
    },
    handle: async ({ setUp, rotationTimes }, { caller, query }) => {
      const scope = { organizationId: caller.organizationId };
      const { principal, state, sort } = query;
      const filter = defined({ principal, state, sort });
      const page = await listPage(
        { id: 'list_keys', caller, query },
        (read) => setUp.keys(scope, { ...filter, ...read }),
        ({ createdAt, kid }) => [createdAt, kid],
      );
      if (!page.ok) return page;
      const { rows, next } = page.value;
      return ok({ keys: rows.map((row) => viewOf(row, row.principalName, rotationTimes)), ...next });
    },
  }),
  route({
    method: 'post',
    path: '/v1/keys/rotate',
    id: 'rotate_key',
    summary:
      'Publish the next signing key of a principal or the organization; it signs after the waiting time',
    needs: 'principals.write',
    body: z.strictObject({
      principal: plainName.exactOptional().describe('Your own unless set.'),
      signs: z
        .enum(['requests', 'proofs'])
        .exactOptional()
        .describe('proofs: the key of the organization itself. requests unless set.'),
      kms_key_id: z.string().min(1).max(2048).exactOptional(),
    }),
    answer: key,
    handle: async ({ ownKeys, principals, rotationTimes }, { caller, body }) => {
      const scope = { organizationId: caller.organizationId };
      if (body.signs === 'proofs') {
        if (body.principal !== undefined)
          return err({
            code: 'INVALID_REQUEST',
            message: 'The key for proofs belongs to the organization and to no principal.',
            field: 'principal',
          });
        const rotated = await ownKeys.rotate(scope, undefined, body.kms_key_id);
        return rotated.ok ? ok(viewOf(rotated.value, undefined, rotationTimes)) : rotated;
      }
      const name = body.principal ?? caller.name;
      const found = await principals.findByName(scope, name);
      if (found === undefined) return err(noPrincipalCalled(name));
      const rotated = await ownKeys.rotate(scope, found.id, body.kms_key_id);
      return rotated.ok ? ok(viewOf(rotated.value, name, rotationTimes)) : rotated;
    },
  }),
];

const signs = ({ principalId, signsProofs }: PlatformKey): ('requests' | 'proofs')[] => [
  ...(principalId === undefined ? [] : ['requests' as const]),
  ...(signsProofs ? ['proofs' as const] : []),
];

function viewOf(platformKey: PlatformKey, principal: string | undefined, times: RotationTimes) {
  const { kid, state, alg, custody, createdAt, liveAt, retiringAt, retiredAt } = platformKey;
  return {
    kid,
    ...(principal !== undefined && { principal }),
    signs: signs(platformKey),
    state,
    alg,
    created_at: isoOf(createdAt),
    ...(custody.kind === 'kms' && { kms_key_id: custody.keyId }),
    ...(liveAt !== undefined && { live_at: isoOf(liveAt) }),
    ...(retiringAt !== undefined && { retiring_at: isoOf(retiringAt) }),
    ...(retiredAt !== undefined && { retired_at: isoOf(retiredAt) }),
    ...(state === 'published' && { live_from: isoOf(createdAt + times.wait) }),
  };
}
