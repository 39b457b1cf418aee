import { describe, expect, it } from '@jest/globals';
import { queryBuys } from '@switchyard/buys';
import { getMediaBuys } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';
import { taskService } from '../main/testkit/task-service.js';

const refusal = { says: { errors: [{ code: 'VERSION_UNSUPPORTED', message: 'Not any longer.' }] } };
const product = { product_id: 'p', name: 'P', description: '', pricing_options: [] };

/** A harness whose one seller refuses the release it was known by, and where it moved to. */
async function shop(tool: string, answer: JsonObject, movedTo: '3.0' | undefined) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  harness.seller('acme').fate(tool, refusal, { says: answer });
  const relearnt: string[] = [];
  const ports = {
    ...marketPorts(harness),
    relearn: ({ organizationId }: { organizationId: string }, connection: Connection) => {
      relearnt.push(`${organizationId} ${connection.slug}`);
      return Promise.resolve(movedTo === undefined ? undefined : { ...connection, form: movedTo });
    },
  };
  const calls = () => harness.seller('acme').received.filter((item) => item.tool === tool).length;
  return { harness, ports, relearnt, calls };
}

async function requestProducts(movedTo: '3.0' | undefined) {
  const { harness, ports, relearnt, calls } = await shop('get_products', { products: [product] }, movedTo);
  const service = taskService({ ports } as unknown as HandlerDeps);
  const { body } = await service.call(harnessCall(harness, 'get_products', { brief: 'shoes' }));
  return { body, calls, isAsked: relearnt.includes(`${harness.scope.organizationId} acme`) };
}

describe('a seller that refuses the release of our request', () => {
  it('is queried by its own tenant for its release, and answers in that', async () => {
    const { body, calls, isAsked: isRequested } = await requestProducts('3.0');
    expect([isRequested, calls()]).toEqual([true, 2]);
    expect(body['products']).toMatchObject([{ product_id: 'acme:p' }]);
    expect(body['sellers']).toMatchObject([{ seller: 'acme', status: 'answered' }]);
  });

  it('is named with its error if it has no other release', async () => {
    const { body, calls } = await requestProducts(undefined);
    expect(calls()).toBe(1);
    expect(body['sellers']).toMatchObject([
      { seller: 'acme', status: 'refused', code: 'VERSION_UNSUPPORTED' },
    ]);
    expect(body['seller_errors']).toMatchObject([
      { code: 'VERSION_UNSUPPORTED', message: 'Not any longer.', details: { seller: 'acme' } },
    ]);
  });

  it('is also queried about its own buys in the new form', async () => {
    const { harness, ports, calls } = await shop('get_media_buys', { media_buys: [] }, '3.0');
    const query = { scope: harness.scope, deadlineMs: 5_000, signal: new AbortController().signal };
    const questions = new Map([[harness.connection('acme'), {}]]);
    const { rows } = await queryBuys(ports, query, {
      spec: getMediaBuys,
      requests: questions,
      count: () => 0,
    });
    expect([rows[0]?.status, calls()]).toEqual(['answered', 2]);
  });
});
