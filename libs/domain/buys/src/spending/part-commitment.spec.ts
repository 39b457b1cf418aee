import { describe, expect, it } from '@jest/globals';
import { judgePart, recommit, type Commitment, type PartFacts } from './part-commitment.js';

const item = (more: Partial<PartFacts['packages'][number]> = {}): PartFacts['packages'][number] => ({
  ...{
    budget: 1_000n,
    kept: 0n,
    booked: 0n,
    isCanceled: false,
    isMade: true,
    isFinal: false,
    hasBegun: true,
    fee: 0n,
  },
  ...more,
});
const part = (more: Partial<PartFacts> = {}): PartFacts => ({
  ...{ status: 'active', isEnded: false, packages: [item()], bookedElsewhere: 0n, invoiced: 0n },
  ...more,
});
const said = (more: Partial<PartFacts>): string => {
  const { state, due } = judgePart(part(more));
  return `${state} ${due}`;
};

describe('what a seller’s part commits', () => {
  it('is its budgets while it is live, or what is delivered or invoiced above them', () => {
    expect(said({})).toBe('live 1000');
    expect(said({ packages: [item({ booked: 1_080n }), item({ booked: 10n })] })).toBe('live 2080');
    expect(said({ invoiced: 1_200n })).toBe('live 1200');
    expect(said({ bookedElsewhere: 5n })).toBe('live 1005');
  });

  it.each(['canceled', 'completed'] as const)(
    'stays when it is %s, until all its figures are final',
    (status) => {
      const open = item({ booked: 900n });
      expect(said({ status, packages: [open] })).toBe('winding_down 1000');
      const done = item({ booked: 300n, isFinal: true });
      expect(said({ status, packages: [open, done] })).toBe('winding_down 2000');
      expect(said({ status, packages: [{ ...open, isFinal: true }, done] })).toBe('final 1200');
      expect(said({ status, packages: [done], invoiced: 350n })).toBe('final 350');
    },
  );

  it('keeps what a package could cost before its budget was lowered, until its figures are final', () => {
    const lowered = item({ budget: 100n, kept: 1_000n, booked: 300n });
    expect(said({ packages: [lowered, item()] })).toBe('live 2000');
    expect(said({ packages: [{ ...lowered, kept: 0n }] })).toBe('live 300');
    expect(said({ status: 'completed', packages: [lowered] })).toBe('winding_down 1000');
    expect(said({ status: 'completed', packages: [{ ...lowered, isFinal: true }] })).toBe('final 300');
  });

  it('has the fee of its cancellation once it is final', () => {
    const canceled = item({ booked: 300n, isFinal: true, isCanceled: true, fee: 70n });
    expect(said({ status: 'canceled', packages: [canceled] })).toBe('final 370');
    expect(said({ packages: [canceled, item()] })).toBe('live 1370');
  });

  it('ends without final figures where a person ends it', () => {
    expect(said({ status: 'completed', isEnded: true, packages: [item({ booked: 12n })] })).toBe('final 12');
    expect(said({ isEnded: true })).toBe('live 1000');
  });

  it.each(['canceled', 'rejected'] as const)(
    'is free at once, but for the fee of a cancellation, where it is %s before it began and cost nothing',
    (status) => {
      const early = item({ hasBegun: false, isCanceled: status === 'canceled' });
      expect(said({ status, packages: [early] })).toBe('final 0');
      expect(said({ status, packages: [early, item()] })).toBe('winding_down 2000');
      expect(said({ status: 'canceled', packages: [{ ...early, fee: 70n }] })).toBe('final 70');
      const done = item({ isFinal: true, booked: 300n });
      expect(said({ status, packages: [early, done], invoiced: 300n })).toBe('final 300');
    },
  );

  it.each(['canceled', 'rejected'] as const)(
    'stays where it is %s before it began, and something is booked or invoiced all the same',
    (status) => {
      const early = item({ hasBegun: false });
      expect(said({ status, packages: [{ ...early, booked: 1n }] })).toBe('winding_down 1000');
      expect(said({ status, packages: [early], bookedElsewhere: 1n })).toBe('winding_down 1001');
      expect(said({ status, packages: [early], invoiced: 1_200n })).toBe('winding_down 1200');
      expect(said({ status, packages: [{ ...early, isFinal: true }], invoiced: 1_200n })).toBe('final 1200');
      expect(said({ status, packages: [item()] })).toBe('winding_down 1000');
    },
  );

  it('keeps a package that is canceled in a live part until its figures are final', () => {
    const gone = item({ isCanceled: true, booked: 40n });
    expect(said({ packages: [gone, item()] })).toBe('live 2000');
    expect(said({ packages: [{ ...gone, isFinal: true }, item()] })).toBe('live 1040');
    expect(said({ packages: [{ ...gone, booked: 0n, isMade: false }, item()] })).toBe('live 1000');
  });

  it('frees a package that is canceled in a live part before its flight began, but for its fee', () => {
    const gone = item({ isCanceled: true, hasBegun: false, fee: 70n });
    expect(said({ packages: [gone, item()] })).toBe('live 1070');
    expect(said({ packages: [{ ...gone, booked: 40n }, item()] })).toBe('live 2000');
  });
});

describe('the commitments of a part', () => {
  const made = (id: string, state: Commitment['state'], amount: bigint): Commitment => ({
    ...{ id, state, amount, months: [], from: '2026-11-01' },
  });
  const now = (
    rows: readonly Commitment[],
    facts: Partial<PartFacts>,
    bookedIn: readonly [string, bigint][] = [],
  ) =>
    recommit(rows, judgePart(part(facts)), { bookedIn: new Map(bookedIn) }).map(
      ({ id, state, amount, months }) =>
        [id, state, amount, ...months.map(({ month, amount: of }) => `${month}:${of}`)].join(' '),
    );

  it('are filled from the oldest, and the newest takes what is more', () => {
    const rows = [made('a', 'committed', 600n), made('b', 'committed', 400n)];
    expect(now(rows, { packages: [item({ booked: 1_080n })] })).toEqual([
      'a committed 600 2026-11:600',
      'b committed 480 2026-11:480',
    ]);
    const less = { status: 'completed', packages: [item({ booked: 500n, isFinal: true })] } as const;
    expect(now(rows, less)).toEqual(['a committed 500 2026-11:500', 'b committed 0']);
  });

  it('leave what is pending as it is beside what is accepted', () => {
    expect(now([made('a', 'committed', 600n), made('b', 'pending', 50n)], {})).toEqual([
      'a committed 1000 2026-11:1000',
      'b pending 50 2026-11:50',
    ]);
  });

  it('count what a seller delivers before it accepts, or after it refused', () => {
    const early = { packages: [], bookedElsewhere: 70n };
    expect(now([made('a', 'pending', 50n)], early)).toEqual(['a pending 70 2026-11:70']);
    expect(now([made('a', 'released', 50n)], early)).toEqual(['a committed 70 2026-11:70']);
    expect(now([made('a', 'released', 50n)], { packages: [] })).toEqual(['a released 50']);
  });

  it('count in each month at least what is booked there, the oldest first', () => {
    const rows = [made('a', 'committed', 600n), made('b', 'committed', 400n)];
    const facts = { packages: [item({ booked: 750n })] };
    expect(
      now(rows, facts, [
        ['2026-12', 250n],
        ['2026-10', 500n],
      ]),
    ).toEqual(['a committed 600 2026-10:500 2026-12:100', 'b committed 400 2026-11:250 2026-12:150']);
  });
});
