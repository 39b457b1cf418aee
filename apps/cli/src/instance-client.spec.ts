import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InstanceClient, refused } from './instance-client.js';
import { specInstance, type SpecInstance } from './testkit/instance.js';

let instance: SpecInstance;
let client: InstanceClient;
beforeAll(async () => {
  instance = await specInstance();
  client = new InstanceClient(instance.url, instance.token);
});
afterAll(() => instance.close());

describe('the client of an instance', () => {
  it('reads the server’s description, and compiles nothing else', async () => {
    const events = await client.read('/v1/events', { query: { state: 'quarantined', seller: undefined } });
    const first = events.ok ? events.value.events[0] : undefined;
    expect(first?.state).toBe('quarantined');
    const shown = await client.read('/v1/events/{id}', { params: { id: first?.event_id ?? '' } });
    expect(shown.ok && shown.value.event_id).toBe(first?.event_id);
    // @ts-expect-error There is no such member.
    expect(first?.colour).toBeUndefined();
    // @ts-expect-error There is no such route.
    expect((await client.read('/v1/evants', {})).ok).toBe(false);
    // @ts-expect-error The route has no such parameter.
    expect((await client.read('/v1/events', { query: { colour: 'red' } })).ok).toBe(false);
    // @ts-expect-error The id is missing.
    expect((await client.read('/v1/events/{id}', {})).ok).toBe(false);
  });

  it('encodes names so that they cannot change the address', async () => {
    const answer = await client.read('/v1/events/{id}', { params: { id: '../keys?x=' } });
    expect(answer.ok ? '' : answer.error.message).toContain('NOT_FOUND');
  });

  it('says where options are described if the server names its request schemas', () => {
    const suggestion = 'The schemas of all requests are in /openapi.json.';
    expect(refused(422, { error: { code: 'VALIDATION_ERROR', message: 'No.', suggestion } }).hint).toBe(
      'See the options of a command with --help.',
    );
  });
});
