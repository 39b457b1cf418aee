import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BreakerBoard, type Ticket } from './breaker-board.js';
import { admit, closedBreaker, record, type BreakerPolicy, type BreakerState } from './breaker.js';
import type { HealthChange } from './health-sink.js';

const policy: BreakerPolicy = {
  failuresToOpen: 3,
  openForMs: 1_000,
  openForCapMs: 5_000,
  slowCountsFromMs: 500,
  credentialPauseMs: 2_000,
};
const key = { organizationId: 'acme', connectionId: 'one' };

function failTimes(count: number, at: number, state: BreakerState = closedBreaker(policy)): BreakerState {
  return Array.from({ length: count }).reduce<BreakerState>(
    (before) => record(before, { verdict: 'failed', probe: false, at }, policy),
    state,
  );
}

describe('a breaker', () => {
  it('opens at the last failure of the limit, and not before', () => {
    expect(failTimes(2, 0).phase).toBe('closed');
    expect(failTimes(3, 0).phase).toBe('open');
  });

  it('never opens for a seller that fails every third call', () => {
    let state = closedBreaker(policy);
    for (let call = 0; call < 99; call += 1) {
      state = record(state, { verdict: call % 3 === 2 ? 'failed' : 'ok', probe: false, at: call }, policy);
    }
    expect(state.phase).toBe('closed');
  });

  it('allows nobody while it is open, then exactly one probe', () => {
    const open = failTimes(3, 10_000);
    expect(admit(open, 10_999)).toMatchObject({ admitted: false, retryAt: 11_000 });
    const probe = admit(open, 11_000);
    expect(probe).toMatchObject({ admitted: true, probe: true, state: { phase: 'half_open' } });
    for (const later of [11_000, 11_500, 11_999]) {
      expect(admit(probe.state, later)).toMatchObject({ admitted: false });
    }
  });

  it('closes when its probe succeeds and stays open twice as long when it fails, up to the cap', () => {
    let state = admit(failTimes(3, 0), 1_000).state;
    expect(record(state, { verdict: 'ok', probe: true, at: 1_100 }, policy)).toEqual(closedBreaker(policy));
    const waits: number[] = [];
    let at = 1_000;
    for (let round = 0; round < 4; round += 1) {
      state = record(state, { verdict: 'failed', probe: true, at }, policy);
      waits.push(state.openForMs);
      at += state.openForMs;
      state = admit(state, at).state;
    }
    expect(waits).toEqual([2_000, 4_000, 5_000, 5_000]);
  });

  it('counts only its probe until it is closed', () => {
    const open = failTimes(3, 0);
    expect(record(open, { verdict: 'ok', probe: false, at: 10 }, policy)).toBe(open);
    const probing = admit(open, 1_000).state;
    expect(record(probing, { verdict: 'failed', probe: false, at: 1_001 }, policy)).toBe(probing);
  });

  it('allows the next caller to probe at once when a probe was abandoned', () => {
    const probing = admit(failTimes(3, 0), 1_000).state;
    const released = record(probing, { verdict: 'abandoned', probe: true, at: 1_200 }, policy);
    expect(released.phase).toBe('open');
    expect(admit(released, 1_200)).toMatchObject({ admitted: true, probe: true });
  });

  it('gives up a probe that never reports', () => {
    const probing = admit(failTimes(3, 0), 1_000).state;
    expect(admit(probing, 2_000)).toMatchObject({ admitted: true, probe: true });
  });

  it('never has two probes within one waiting time, in any case', () => {
    const step = fc.record({
      wait: fc.nat(3_000),
      verdict: fc.constantFrom('ok' as const, 'failed' as const),
      reports: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = closedBreaker(policy);
        let at = 0;
        let probeAt = Number.NEGATIVE_INFINITY;
        let wait = 0;
        let out = false;
        for (const { wait: pause, verdict, reports } of steps) {
          at += pause;
          const admission = admit(state, at);
          state = admission.state;
          if (!admission.admitted) continue;
          if (admission.probe && out) expect(at - probeAt).toBeGreaterThanOrEqual(wait);
          if (admission.probe) {
            probeAt = at;
            wait = state.openForMs;
            out = !reports;
          }
          if (reports) state = record(state, { verdict, probe: admission.probe, at }, policy);
        }
      }),
    );
  });
});

describe('the registry of breakers', () => {
  const ticketOf = (board: BreakerBoard, at: number, of = key): Ticket => {
    const admission = board.admit(of, at);
    if (!admission.admitted) throw new Error('not admitted');
    return admission.ticket;
  };
  const trip = (board: BreakerBoard, at: number, of = key): void => {
    for (let call = 0; call < 3; call += 1) board.settle(ticketOf(board, at, of), 'failed', at, 'timeout');
  };

  it('keeps one breaker per organization and connection', () => {
    const board = new BreakerBoard(policy);
    trip(board, 0);
    expect(board.admit(key, 1).admitted).toBe(false);
    expect(board.admit({ ...key, organizationId: 'rival' }, 1).admitted).toBe(true);
    expect(board.admit({ ...key, connectionId: 'two' }, 1).admitted).toBe(true);
  });

  it('reports changes of phase, and nothing in between', () => {
    const changes: HealthChange[] = [];
    const board = new BreakerBoard(policy, { changed: (change) => void changes.push(change) });
    board.settle(ticketOf(board, 0), 'ok', 0);
    trip(board, 5);
    board.settle(ticketOf(board, 1_005), 'ok', 1_010);
    expect(changes.map(({ breaker, ok, code, at }) => ({ breaker, ok, code, at }))).toEqual([
      { breaker: 'open', ok: false, code: 'timeout', at: 5 },
      { breaker: 'half_open', ok: false, code: undefined, at: 1_005 },
      { breaker: 'closed', ok: true, code: undefined, at: 1_010 },
    ]);
  });

  it('pauses only the refused version of a credential, for its time', () => {
    const board = new BreakerBoard(policy);
    board.pauseCredential(key, { id: 'c', version: 1 }, 100);
    expect(board.admit(key, 101).admitted).toBe(true);
    expect(board.isPaused(key, { id: 'c', version: 1 }, 2_099)).toBe(true);
    expect(board.isPaused(key, { id: 'c', version: 2 }, 102)).toBe(false);
    board.pauseCredential(key, { id: 'c', version: 1 }, 200);
    expect(board.isPaused(key, { id: 'c', version: 1 }, 2_200)).toBe(false);
  });

  it('counts an aborted leg as a failure only when it had enough time', () => {
    const board = new BreakerBoard(policy);
    expect(board.verdictOnSlow(499)).toBe('abandoned');
    expect(board.verdictOnSlow(500)).toBe('failed');
  });
});
