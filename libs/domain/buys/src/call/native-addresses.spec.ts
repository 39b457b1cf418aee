import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { tasks } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { Secret } from '@switchyard/values';
import { draftRegistrations, sendingOf } from './draft-registrations.js';

const keySecret = new Secret(Buffer.from('one connection'));
const connectionOver = (protocol: Connection['protocol']) =>
  ({ id: 'c1', slug: 'acme', protocol, legacyWebhooks: false }) as unknown as Connection;

const sent = (connection: Connection, task: string) =>
  sendingOf(
    { id: 'leg-1', task, outbound: '{}', findings: [] },
    { connection, keySecret, signal: AbortSignal.timeout(1_000) },
    'https://relay.example',
  );

const given = (connection: Connection, task: string) =>
  draftRegistrations({ token: (prefix) => `${prefix}_1` }, connection, {
    legId: 'leg-1',
    task,
    sellerOperationId: 'op-1',
    keySecret,
  }).all.filter(({ kind }) => kind === 'a2a');

describe('the native address of a leg', () => {
  it.each(
    tasks.filter(({ kind }) => kind === 'mutation').map(({ name, mayBeAsync }) => ({ name, mayBeAsync })),
  )(
    'of $name is sent to an A2A seller exactly if the answer may come later: $mayBeAsync',
    ({ name, mayBeAsync }) => {
      expect(sent(connectionOver('a2a'), name)?.a2aPush !== undefined).toBe(mayBeAsync);
      expect(given(connectionOver('a2a'), name)).toHaveLength(mayBeAsync ? 1 : 0);
    },
  );

  it('is sent to no seller over MCP', () => {
    expect(sent(connectionOver('mcp'), 'create_media_buy')).toEqual({ args: {} });
    expect(given(connectionOver('mcp'), 'create_media_buy')).toEqual([]);
  });
});
