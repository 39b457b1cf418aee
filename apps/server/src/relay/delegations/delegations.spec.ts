import { describe, expect, it } from '@jest/globals';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { callRoutes } from '../../platform/routes/testkit/call-route.js';
import { delegationRoutes, type DelegationsDeps } from './delegations.routes.js';

const admin: PrincipalCaller = {
  kind: 'principal',
  organizationId: 'ours',
  principalId: '11111111-1111-4111-8111-111111111111',
  name: 'admin',
  principalKind: 'person',
  permissions: { principals: ['read', 'write'] },
  transitional: false,
  legacy: false,
};

describe('the address of a relay', () => {
  it.each(['22222222-2222-4222-8222-222222222222', 'no id at all'])(
    'is issued only for a principal of the tenant: %s',
    async (principalId) => {
      const requested: string[] = [];
      const parts = {
        principals: {
          find: ({ organizationId }: { organizationId: string }) => {
            requested.push(organizationId);
            return Promise.resolve(undefined);
          },
        },
      } as unknown as DelegationsDeps;
      const answer = await callRoutes(delegationRoutes, parts)(admin, 'relay_address', {
        params: { name: 'acme' },
        query: { principal_id: principalId },
      });
      expect(answer).toMatchObject({ ok: false, error: { code: 'NOT_FOUND', field: 'principal_id' } });
      expect(requested.every((organizationId) => organizationId === 'ours')).toBe(true);
    },
  );
});
