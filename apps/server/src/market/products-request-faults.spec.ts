import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { modeErrors } from './products-request-faults.js';
import { taskService } from '../main/testkit/task-service.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';

const refine = [{ scope: 'request', ask: 'cheaper' }];

describe('the mode of a query for products', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['brief with one', { buying_mode: 'brief', brief: 'shoes' }, []],
    ['brief without one', { buying_mode: 'brief' }, ['brief']],
    ['brief with an empty one', { buying_mode: 'brief', brief: ' ' }, ['brief']],
    ['wholesale', { buying_mode: 'wholesale', if_pricing_version: 'v1' }, []],
    ['wholesale with a brief', { buying_mode: 'wholesale', brief: 'shoes' }, []],
    ['refine with changes', { buying_mode: 'refine', refine }, []],
    ['refine without any', { buying_mode: 'refine', refine: [] }, ['refine']],
    ['refine with a brief', { buying_mode: 'refine', refine, brief: 'shoes' }, []],
    [
      'brief with a version of the feed',
      { buying_mode: 'brief', brief: 'shoes', if_wholesale_feed_version: 'v1' },
      ['if_wholesale_feed_version'],
    ],
    ['changes beside a brief', { buying_mode: 'brief', brief: 'shoes', refine }, ['buying_mode']],
    ['changes without a mode', { refine }, ['buying_mode']],
    ['no mode, as older forms ask', { brief: 'shoes' }, []],
    ['no mode and no brief', {}, []],
  ])('excludes conflicting members: %s', (_what, args, fields) => {
    const faults = modeErrors(args);
    expect(faults.map(({ field }) => field)).toEqual(fields);
    expect(faults.every(({ code }) => code === 'INVALID_REQUEST')).toBe(true);
  });

  it('is checked before any seller is called', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const { body } = await taskService({ ports: harness.ports } as unknown as HandlerDeps).call(
      harnessCall(harness, 'get_products', { adcp_version: '3.1', buying_mode: 'brief' }),
    );
    expect(body['errors']).toMatchObject([{ code: 'INVALID_REQUEST', field: 'brief' }]);
    expect(harness.seller('acme').received).toEqual([]);
  });

  it('ignores a brief beside another mode, with a finding, and sends it to no seller of any release', async () => {
    const harness = await openBuyingHarness({
      acme: { isIdempotent: true },
      bravo: { isIdempotent: false, form: '2.5' },
    });
    const parts = { ports: marketPorts(harness) } as unknown as HandlerDeps;
    const { body, isError } = await taskService(parts).call(
      harnessCall(harness, 'get_products', { adcp_version: '3.1', buying_mode: 'wholesale', brief: 'shoes' }),
    );
    expect(isError).toBe(false);
    const { findings } = (body['ext'] as { switchyard: { findings: JsonObject[] } }).switchyard;
    expect(findings.filter(({ field }) => field === 'brief')).toEqual([
      expect.objectContaining({ code: 'NOT_CARRIED' }),
    ]);
    for (const slug of ['acme', 'bravo'])
      expect(harness.seller(slug).received.map(({ args }) => args['brief'] ?? '')).toEqual(['']);
  });
});
