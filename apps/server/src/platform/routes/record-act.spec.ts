import { expect, it } from '@jest/globals';
import type { AuditLog } from '@switchyard/store';
import { ok } from '@switchyard/values';
import { z } from 'zod';
import { testClock } from '@switchyard/testing';
import { actRecorder } from './record-act.js';
import { routesOn } from './route.js';

const address = z.strictObject({ street: z.string(), city: z.string() }).meta({ id: 'record_act_address' });

const row = routesOn<object>()({
  method: 'post',
  path: '/v1/things',
  id: 'add_thing',
  summary: 'Add a thing',
  needs: 'clients.write',
  body: z
    .strictObject({ name: z.string(), address, others: z.array(address), key: z.string() })
    .meta({ id: 'record_act_thing' }),
  secretsTaken: ['key'],
  answer: z.strictObject({}),
  handle: () => Promise.resolve(ok({})),
});

it('records the members of schemas that have a name of their own', async () => {
  const begun: Parameters<AuditLog['begin']>[1][] = [];
  const record = actRecorder({
    audit: {
      begin: (_scope, act) => Promise.resolve(begun.push(act)),
      end: () => Promise.resolve(),
    },
    clock: testClock(),
    local: { scope: { organizationId: 'o' } },
    onUnexpected: (error) => {
      throw error;
    },
  });
  const home = { street: 'Hafenstr. 1', city: 'Hamburg' };
  const body = { name: 'Nova', address: home, others: [home], key: 'hidden' };
  await record(row, { caller: 'local', params: {}, body }, () => Promise.resolve(ok({})));
  expect(begun[0]?.detail).toEqual({
    body: { name: 'Nova', address: home, others: [home] },
    left_out: ['key'],
  });
});
