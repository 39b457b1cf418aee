import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startNameServer } from '@switchyard/testing';
import { createTxtLookup } from './txt-lookup.js';

let server: Awaited<ReturnType<typeof startNameServer>>;
beforeAll(async () => {
  server = await startNameServer({ '_switchyard.agency.example': [['chal', 'lenge'], ['another']] });
});
afterAll(() => server.stop());

describe('TXT records', () => {
  it('are read completely, chunk by chunk', async () => {
    const lookup = createTxtLookup({ servers: [server.address] });
    expect(await lookup('_switchyard.agency.example')).toEqual({ ok: true, value: ['challenge', 'another'] });
  });

  it('are an empty list if the name has none', async () => {
    const lookup = createTxtLookup({ servers: [server.address] });
    expect(await lookup('_switchyard.nobody.example')).toEqual({ ok: true, value: [] });
  });

  it('without an answer are a failure, and never an exception', async () => {
    // A port that was given back: nobody listens there.
    const gone = await startNameServer({});
    await gone.stop();
    const lookup = createTxtLookup({ servers: [gone.address], timeoutMs: 50 });
    expect(await lookup('_switchyard.agency.example')).toMatchObject({ ok: false });
    expect(await lookup(`${'a'.repeat(70)}.example`)).toMatchObject({ ok: false });
  });
});
