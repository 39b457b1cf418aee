import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { schemasAreThere } from './published-schemas.js';
import type { Exchange } from './wire-tap.js';
import { judgeWire } from './wire-watch.js';

const exchange = (host: string, path: string, sent: JsonObject): Exchange => ({
  process: 'a suite',
  host,
  path,
  method: 'POST',
  sent: JSON.stringify(sent),
  status: 200,
  answered: '',
});

/** A call over A2A of release 3.1 that wants its news at an address of A2A's own. */
const requested = exchange('doors.example', '/a2a', {
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: {
    message: {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'data', data: { skill: 'create_media_buy', parameters: { adcp_version: '3.1' } } }],
    },
    configuration: { pushNotificationConfig: { url: 'http://buyer.example/news' } },
  },
});

const isAt = ({ host }: Exchange) => (host === 'doors.example' ? ('ours' as const) : ('theirs' as const));
const received = (state: string, data: JsonObject, path = '/news') =>
  judgeWire(
    [
      requested,
      exchange('buyer.example', path, {
        kind: 'task',
        id: 'task_1',
        contextId: 'task_1',
        status: { state, timestamp: '2026-11-22T00:00:00Z' },
        artifacts: [{ artifactId: 'result', parts: [{ kind: 'data', data }] }],
      }),
    ],
    isAt,
  );

const made: JsonObject = {
  media_buy_id: 'mb_1',
  media_buy_status: 'active',
  confirmed_at: '2026-11-22T00:00:00Z',
  revision: 1,
  packages: [],
};

describe('the payload of the native A2A channel', () => {
  it('is checked with the schema of the task that its address was given for, in the form of that call', () => {
    const { held, faults } = received('completed', made);
    expect(faults).toEqual([]);
    expect([...held.keys()]).toEqual(schemasAreThere ? ['native create_media_buy 3.1 completed'] : []);
    if (!schemasAreThere) process.stdout.write('1 message was not held: no published schemas are here\n');
  });

  it('is invalid if its data do not fit', () => {
    const { media_buy_id: _left, ...nameless } = made;
    const { faults } = received('completed', nameless);
    expect(faults.length > 0).toBe(schemasAreThere);
  });

  it('is not checked at an unregistered address', () => {
    const { held, unpublished } = received('completed', { nonsense: true }, '/elsewhere');
    expect([...held, ...unpublished]).toEqual([]);
  });
});
