import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
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
});
