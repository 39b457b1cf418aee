import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { errorRule } from '@switchyard/protocol';
import { createMediaBuy } from '../create/create-media-buy.js';
import { callSeller } from './call-seller.js';

describe('a call of a seller', () => {
  it('is not made if its arguments contain a credential', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const [connection] = await harness.ports.connections.list(harness.scope);
    if (connection === undefined) throw new Error('There is no seller.');
    const { signal } = new AbortController();
    const call = (args: Parameters<typeof callSeller>[2]['args']) =>
      callSeller(harness.ports.transport, { connection }, { task: 'create_media_buy', args }, signal);
    const held = await call({ ext: { vendor: { api_key: 'sk-live-0123456789' } } });
    expect(held).toMatchObject({ ok: false, error: { code: 'credential_in_args', delivered: 'no' } });
    expect(JSON.stringify(held)).not.toContain('sk-live');
    expect(harness.seller('acme').received).toHaveLength(0);
    await call({ ext: { vendor: { note: 'kept' } } });
    expect(harness.seller('acme').received).toHaveLength(1);
  });

  it.each([
    ['a refusal of what was asked', [400, 413, 422], 'INVALID_REQUEST', 'correctable'],
    ['a refusal of us or a wrong address', [403, 404, 410], 'CONFIGURATION_ERROR', 'terminal'],
    ['a refusal at this moment', [421, 425], 'SERVICE_UNAVAILABLE', 'transient'],
  ])('that ends with %s over HTTP is told so', async (_what, statuses, code, recovery) => {
    for (const httpStatus of statuses) {
      const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
      const failure = { code: 'http_error', httpStatus, delivered: 'no' } as const;
      harness.seller('acme').fate('create_media_buy', { fails: failure });
      const made = await createMediaBuy(harness.ports, harness.request(['acme']));
      const [leg] = made.ok ? made.value.state.legs : [];
      expect(leg).toMatchObject({
        status: 'failed',
        attempts: 1,
        errors: [{ code, message: `The seller acme answered with an HTTP error (${httpStatus}).` }],
      });
      expect(errorRule(leg?.errors[0]?.code ?? '').recovery).toBe(recovery);
    }
  });
});
