import { describe, expect, it } from '@jest/globals';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { permissionTable } from '@switchyard/tenancy';
import { openBuyingDesk } from '@switchyard/testing';
import type { HandlerParts } from './handler.js';
import { createTaskService } from './task-service.js';

describe('publishers that a seller names and nobody can use', () => {
  it.each(['service', '2.5'] as const)(
    'are findings beside the answer in %s, with who named them',
    async (form) => {
      const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
      const old = { ...desk.connection('acme'), form: '2.5' as const };
      desk.seller('acme').fate('list_authorized_properties', {
        says: { publisher_domains: ['news.example', 'no domain at all', 'also not one'] },
      });
      const connections = { ...desk.ports.connections, list: () => Promise.resolve([old]) };
      const parts = {
        ports: {
          ...desk.ports,
          connections,
          breakers: new BreakerBoard(defaultBreakerPolicy),
          bulkhead: new Bulkhead(8),
        },
      } as unknown as HandlerParts;
      const { body } = await createTaskService(parts).call({
        door: 'mcp',
        task: 'list_authorized_properties',
        args: form === 'service' ? {} : { context: {}, publisher_domains: ['news.example'] },
        exact: new Map(),
        caller: {
          kind: 'principal',
          organizationId: desk.scope.organizationId,
          principalId: desk.principalId,
          name: 'buyer',
          principalKind: 'buyer',
          permissions: permissionTable,
          transitional: true,
          legacy: true,
          ...(form === 'service'
            ? {}
            : { signedBy: { keyid: 'k', agentUrl: 'https://buyer.example', dialect: 'adcp' as const } }),
        },
        signal: new AbortController().signal,
      });
      expect(body['publisher_domains']).toEqual(['news.example']);
      const { findings } = (
        form === 'service' ? body : ((body['ext'] ?? {}) as typeof body)['switchyard']
      ) as typeof body;
      expect(findings).toEqual([
        {
          seller: 'acme',
          code: 'PROPERTY_SET_ASIDE',
          message: '2 publisher domains are no names of domains',
        },
      ]);
    },
  );
});
