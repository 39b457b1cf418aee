import { describe, expect, it } from '@jest/globals';
import type { Connection } from '@switchyard/sellers';
import { openSignalsHarness } from '@switchyard/testing';
import { ok } from '@switchyard/values';
import { activateSignal } from '../activate/activate-signal.js';
import type { ReadPorts } from '../model/read-request.js';
import { refreshActivations } from '../activate/refresh-activations.js';
import { readPortsOf } from '../testkit/read-requests.js';

const never = new AbortController().signal;
const waiting = {
  deployments: [
    {
      type: 'agent',
      agent_url: 'https://acme.example/mcp',
      is_live: false,
      estimated_activation_duration_minutes: 8,
    },
  ],
};

/** Who signed each scheduled poll of a signal that a principal has asked for, poll by poll. */
async function looks(requiredFor: readonly string[]) {
  const here = await openSignalsHarness();
  const { harness, ports } = here;
  const signing = ({ capabilities, ...one }: Connection): Connection => ({
    ...one,
    ...(capabilities === undefined
      ? {}
      : { capabilities: { ...capabilities, requestSigning: { supported: true, requiredFor } } }),
  });
  const signers: (string | undefined)[] = [];
  const reads: ReadPorts & typeof ports = {
    ...readPortsOf(ports),
    connections: {
      list: async (scope) => (await ports.connections.list(scope)).map(signing),
      byId: async (scope, id) => {
        const found = await ports.connections.byId(scope, id);
        return found === undefined ? undefined : signing(found);
      },
    },
    signerFor: (_scope, principalId) => ({
      principalId,
      sign: () => Promise.resolve(ok({ 'Signature-Input': 'sig1=()', Signature: 'sig1=::' })),
    }),
    transport: {
      ...ports.transport,
      call: (target, call, signal) => {
        if (call.tool === 'get_signals') signers.push(target.signer?.principalId);
        return ports.transport.call(target, call, signal);
      },
    },
  };
  harness.seller('data').fate('activate_signal', { says: waiting });
  await activateSignal(reads, here.request());
  for (let count = 0; count < 2; count += 1) {
    harness.clock.advance(120_000);
    harness.seller('data').fate('get_signals', {
      says: { signals: [{ signal_agent_segment_id: 'coffee', name: 'Coffee', ...waiting }] },
    });
    expect(await refreshActivations(reads, harness.scope, never)).toBe(1);
  }
  return { signers, principalId: harness.principalId };
}

describe('a poll of a signal in progress', () => {
  it('is signed by the principal that requested it, each time, if its agent requires it', async () => {
    const { signers, principalId } = await looks(['get_signals']);
    expect(signers).toEqual([principalId, principalId]);
  });

  it('is not signed if its agent does not require it', async () => {
    expect((await looks([])).signers).toEqual([undefined, undefined]);
  });
});
