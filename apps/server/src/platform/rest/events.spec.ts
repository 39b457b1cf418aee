import { afterAll, describe, expect, it } from '@jest/globals';
import { openHttpHarness } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const get = (path: string, token = http.token) => fetch(`${http.url}${path}`, { headers: as(token) });

describe('webhooks over REST', () => {
  it('lists them beside their counts, by state and seller', async () => {
    const all = await get('/v1/events?state=quarantined&seller=acme&limit=5');
    expect(await all.json()).toMatchObject({ received: 0, events: [{ event_id: 'e1' }] });
    expect(await (await get('/v1/events?state=stale')).json()).toMatchObject({ events: [] });
  });

  it.each([
    ['a state that there is not', 'state=lost', 'state'],
    ['a limit beyond 500', 'limit=5000', 'limit'],
    ['an unknown parameter', 'colour=red', 'colour'],
  ])('refuses %s and names it', async (_what, query, field) => {
    const answer = await get(`/v1/events?${query}`);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ errors: [{ field }] });
  });

  it('shows bytes only on request', async () => {
    expect(await (await get('/v1/events/e1')).json()).not.toHaveProperty('raw');
    expect(await (await get('/v1/events/e1?raw=true')).json()).toHaveProperty('raw');
  });

  it.each([
    ['list', '/v1/events', undefined],
    ['show', '/v1/events/e1', undefined],
    ['admit', '/v1/events/e1/admit', { reason: 'x' }],
    ['dismiss', '/v1/events/e1/dismiss', { reason: 'x' }],
  ])('needs the permission for %s', async (_what, path, body) => {
    const answer =
      body === undefined
        ? await get(path, http.readerToken)
        : await http.post(path, body, as(http.readerToken));
    expect(answer.status).toBe(403);
  });

  it('accepts a decision only with a reason, once, and stores who and why', async () => {
    const bare = await http.post('/v1/events/e1/admit', {}, as(http.token));
    expect(bare.status).toBe(422);
    const admitted = await http.post('/v1/events/e1/admit', { reason: 'confirmed' }, as(http.token));
    expect(await admitted.json()).toMatchObject({
      state: 'applied',
      decision: { decision: 'admitted', reason: 'confirmed', by: 'principal 1' },
    });
    const again = await http.post('/v1/events/e1/dismiss', { reason: 'no' }, as(http.token));
    expect(again.status).toBe(409);
    expect((await http.post('/v1/events/e9/admit', { reason: 'x' }, as(http.token))).status).toBe(404);
  });
});
