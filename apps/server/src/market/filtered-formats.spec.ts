import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';
import { taskService } from '../main/testkit/task-service.js';

const format = (id: string, more: JsonObject): JsonObject => ({
  format_id: { agent_url: 'https://acme.example', id },
  name: id,
  ...more,
});

async function query(args: JsonObject): Promise<JsonObject> {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  harness.seller('acme').fate('list_creative_formats', {
    says: { formats: [format('clip', { type: 'video' }), format('banner', { type: 'display' })] },
  });
  const parts = { ports: marketPorts(harness) } as unknown as HandlerDeps;
  const { body } = await taskService(parts).call(harnessCall(harness, 'list_creative_formats', args));
  return body;
}

const idsIn = (body: JsonObject): unknown =>
  (body['formats'] as readonly JsonObject[]).map(({ format_id: id }) => (id as JsonObject)['id']);
const findingsIn = (body: JsonObject): readonly JsonObject[] =>
  (body['findings'] ?? []) as readonly JsonObject[];

describe('formats that a seller sent although the filter excludes them', () => {
  it('are left out, and the answer counts them by seller', async () => {
    const body = await query({ format_types: ['video'] });
    expect(idsIn(body)).toEqual(['clip']);
    expect(findingsIn(body)).toContainEqual({
      seller: 'acme',
      code: 'FILTERED_OUT',
      message: 'It sent 1 item that does not meet the filters: left out.',
    });
  });

  it('are not counted if the request has no filter', async () => {
    const body = await query({});
    expect(idsIn(body)).toEqual(['clip', 'banner']);
    expect(findingsIn(body).map(({ code }) => code)).not.toContain('FILTERED_OUT');
  });
});
