import { describe, expect, it } from '@jest/globals';
import { BreakerBoard, defaultBreakerPolicy } from '@switchyard/sellers';
import { shareBreakers } from './share-breakers.js';

const key = { organizationId: 'acme', connectionId: 'one' };

/** Boards of processes whose messages arrive at once. */
function boards(count: number) {
  let at = 0;
  const takers: ((text: string) => void)[] = [];
  const bus = {
    publish: (_topic: string, text: string) => takers.forEach((take) => take(text)),
    subscribe: (_topic: string, take: (text: string) => void) => void takers.push(take),
  };
  const clock = { now: () => at, after: () => () => undefined };
  const changes: unknown[] = [];
  const made = Array.from({ length: count }, () => {
    const board = new BreakerBoard(defaultBreakerPolicy, { changed: (change) => changes.push(change) });
    shareBreakers(board, clock, bus);
    return board;
  });
  const settle = (board: BreakerBoard, verdict: 'ok' | 'failed') => {
    const admitted = board.admit(key, at);
    if (admitted.admitted) board.settle(admitted.ticket, verdict, at);
    return admitted.admitted;
  };
  return { made, bus, changes, settle, pass: (ms: number) => (at += ms) };
}

describe('breakers over several processes', () => {
  it('open in all of them after the failures in one, and close in all after the probe of one', () => {
    const { made, settle, pass, changes } = boards(2);
    const [one, other] = made as [BreakerBoard, BreakerBoard];
    for (let call = 0; call < 3; call += 1) settle(one, 'failed');
    expect([one.phaseOf(key), other.phaseOf(key), settle(other, 'ok')]).toEqual(['open', 'open', false]);
    pass(defaultBreakerPolicy.openForMs);
    expect(settle(other, 'ok')).toBe(true);
    expect([one.phaseOf(key), other.phaseOf(key)]).toEqual(['closed', 'closed']);
    // The health of the seller is written by the process that found out.
    expect(changes).toHaveLength(3);
  });

  it('of another organization or seller stay as they are, and what is no message is not read', () => {
    const { made, settle, bus } = boards(2);
    const [one, other] = made as [BreakerBoard, BreakerBoard];
    for (const text of [
      'x',
      '{}',
      '{"from":"x","organization":"acme","connection":"one","phase":"half_open"}',
    ])
      bus.publish('breakers', text);
    expect(other.phaseOf(key)).toBe('closed');
    for (let call = 0; call < 3; call += 1) settle(one, 'failed');
    expect(other.phaseOf({ ...key, organizationId: 'rival' })).toBe('closed');
    expect(other.phaseOf({ ...key, connectionId: 'two' })).toBe('closed');
  });
});
