import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { Activation, ActivationRepository } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';

interface ActivationRepositorySubject {
  readonly book: ActivationRepository;
  readonly ours: TenantScope;
  readonly theirs: TenantScope;
}

interface ActivationRepositoryClause {
  readonly guarantee: string;
  readonly check: (subject: ActivationRepositorySubject) => Promise<void>;
}

const at = Date.parse('2027-03-01T10:00:00Z');

/** The contract of every activation repository, run by the PostgreSQL one and the in-memory one. */
export const activationRepositoryContract: readonly ActivationRepositoryClause[] = [
  {
    guarantee: 'an activation is returned complete, and only to its own tenant',
    async check({ book, ours, theirs }) {
      const stored = activation();
      await book.store(ours, [stored]);
      assert.deepEqual(await book.of(ours, [stored]), [stored]);
      assert.deepEqual(await book.of(theirs, [stored]), []);
      assert.deepEqual(await book.of(ours, [{ ...stored, segmentId: 'other' }]), []);
    },
  },
  {
    guarantee: 'one deployment is one row, in any spelling, and each account there is separate',
    async check({ book, ours }) {
      const stored = activation();
      const spelled: Activation = {
        ...stored,
        target: { type: 'agent', agentUrl: 'https://SALES.example/', account: 'a1' },
        observedAt: at + 1,
      };
      const other: Activation = { ...stored, target: { type: 'agent', agentUrl: 'https://sales.example' } };
      await book.store(ours, [stored]);
      await book.store(ours, [spelled, other]);
      const rows = await book.of(ours, [stored]);
      assert.deepEqual(
        rows.map(({ target }) => target.agentUrl).sort(),
        ['https://SALES.example/', 'https://sales.example'].sort(),
      );
    },
  },
  {
    guarantee: 'an update that is older than the stored state changes nothing',
    async check({ book, ours }) {
      const stored = activation();
      await book.store(ours, [stored]);
      const { key: _gone, deployedAt: _too, ...rest } = stored;
      await book.store(ours, [{ ...rest, state: 'off', observedAt: at - 1 }]);
      assert.deepEqual(await book.of(ours, [stored]), [stored]);
      await book.store(ours, [{ ...rest, state: 'off', observedAt: at + 1 }]);
      assert.deepEqual(await book.of(ours, [stored]), [{ ...rest, state: 'off', observedAt: at + 1 }]);
    },
  },
  {
    guarantee:
      'a change of a row is written completely while the row is unchanged since it was read, or not at all',
    async check({ book, ours }) {
      const { key: _none, deployedAt: _neither, isRequested, requestedBy, ...bare } = activation();
      const open: Activation = { ...bare, state: 'activating', observedAt: at };
      const other: Activation = { ...open, connectionId: randomUUID() };
      assert.equal(await book.store(ours, [open], []), true);
      const read = await book.of(ours, [open]);
      const own: Activation = { ...open, isRequested: isRequested!, requestedBy: requestedBy! };
      // Another writer's state of the same moment, and then one of a later moment.
      for (const meanwhile of [own, { ...open, state: 'off' as const, observedAt: at + 1 }]) {
        assert.equal(await book.store(ours, [meanwhile]), true);
        const next = [other, { ...open, observedAt: at + 2 }];
        assert.equal(await book.store(ours, next, read), false);
        assert.equal(await book.store(ours, next, []), false);
        assert.deepEqual(await book.of(ours, [open, other]), [meanwhile]);
      }
      const live: Activation = { ...open, state: 'live', observedAt: at + 2 };
      assert.equal(await book.store(ours, [live], await book.of(ours, [open])), true);
      assert.deepEqual(await book.of(ours, [open]), [live]);
      // A state older than the stored one changes nothing, and need not be read again.
      assert.equal(await book.store(ours, [open], read), true);
      assert.deepEqual(await book.of(ours, [open]), [live]);
    },
  },
  {
    guarantee: 'postponing a poll changes only its time, of a row that is unchanged since it was read',
    async check({ book, ours, theirs }) {
      const { key: _none, deployedAt: _neither, ...bare } = activation();
      const open: Activation = { ...bare, state: 'activating', nextPollAt: at };
      const off: Activation = { ...bare, connectionId: randomUUID(), state: 'off', observedAt: at + 1 };
      const own: Activation = { ...open, connectionId: randomUUID(), observedAt: at + 1 };
      await book.store(ours, [open, off, own]);
      const later = at + 60_000;
      const was = { ...off, state: 'activating' as const, observedAt: at };
      await book.postpone(
        ours,
        [open, was, { ...was, connectionId: own.connectionId }].map((current) => ({
          ...current,
          nextPollAt: later,
        })),
      );
      await book.postpone(theirs, [{ ...own, nextPollAt: later }]);
      assert.deepEqual(await book.of(ours, [open]), [{ ...open, nextPollAt: later }]);
      assert.deepEqual(await book.of(ours, [off]), [off]);
      assert.deepEqual(await book.of(ours, [own]), [own]);
    },
  },
  {
    guarantee:
      'an activation in progress is due at its time, the most overdue first, and only to its own tenant',
    async check({ book, ours, theirs }) {
      const { key: _none, deployedAt: _neither, ...bare } = activation();
      const open = (nextPollAt: number): Activation => ({
        ...bare,
        connectionId: randomUUID(),
        state: 'activating',
        estimatedAt: at,
        readyAt: at + 60_000,
        nextPollAt,
      });
      const [late, later, notYet] = [open(at + 1), open(at + 2), open(at + 3)];
      await book.store(ours, [later, notYet, late]);
      assert.deepEqual(await book.due(ours, at + 2, 9), [late, later]);
      assert.deepEqual(await book.due(ours, at + 2, 1), [late]);
      assert.deepEqual(await book.due(theirs, at + 9, 9), []);
    },
  },
];

function activation(over: Partial<Activation> = {}): Activation {
  return {
    connectionId: randomUUID(),
    segmentId: 'coffee:drinkers',
    target: { type: 'agent', agentUrl: 'https://sales.example', account: 'a1' },
    state: 'live',
    key: { type: 'key_value', key: 'audience', value: 'coffee' },
    deployedAt: '2027-03-01T09:59:00Z',
    observedAt: at,
    isRequested: true,
    requestedBy: randomUUID(),
    ...over,
  };
}
