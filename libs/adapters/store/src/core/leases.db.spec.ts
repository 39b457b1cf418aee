import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createBookedBuy,
  createConnection,
  createScope,
  leasesByDatabase,
  makeOperation,
  openTestStore,
} from '@switchyard/testing';
import pg from 'pg';
import { approvalStore } from '../approvals/approval-store.js';
import { operationStore } from '../buys/operation-store.js';
import { reportWatches } from '../events/report-watches.js';
import { outboxStore } from '../outbox/outbox-store.js';
import { connectionDirectory } from '../sellers/connection-directory.js';
import { openStore } from './open-store.js';

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Client({ connectionString: database.ownerUrl });

beforeAll(async () => {
  await owner.connect();
  await owner.query(leasesByDatabase);
});
afterAll(async () => {
  await owner.end();
  await stop();
});

const hourMs = 3_600_000;
const leaseMs = 45_000;

/** A row that one process leases. */
interface Held {
  /** Takes the lease, as a process with the clock at `now`; false if another process has it. */
  take(now: number): Promise<boolean>;
  /** When the lease ends, as PostgreSQL wrote it. */
  readonly end: string;
  readonly id: string;
}

const outboxed = `
  with registration as (
    insert into buyer_registration
      (id, organization_id, principal_id, operation_id, channel, envelope, mode, url, dialect, form, created_at)
    values ($2, $1, $2, $2, 'task', 'mcp', 'signed', 'https://buyer.example/', 'ads', 'service', now())
  )
  insert into outbox_event
    (id, organization_id, registration_id, principal_id, operation_id, stream, kind, idempotency_key, body, state, due_at,
     created_at)
  values ($2, $1, $2, $2, $2, $3, 'task', $3, '', 'waiting', now() - interval '2 hours', now() - interval '2 hours')`;

const answering = `
  insert into approval
    (id, organization_id, operation_id, leg_id, connection_id, seller, task, round, question_hash, reason, question,
     errors, state, requested_at, due_at)
  values ($2, $1, $2, $2, $2, 'acme', 'create_media_buy', 1, '', '', '{}', '[]', 'answering', now(), now() - interval '2 hours')`;

const kinds: Readonly<Record<string, () => Promise<Held>>> = {
  'a leg': async () => {
    const scope = await createScope(store);
    const operations = operationStore(store);
    const made = makeOperation(scope, { createdAt: Date.now() - 2 * hourMs });
    await operations.begin(scope, made);
    const id = made.legs[0]?.id ?? '';
    return {
      id,
      end: 'select lease_until as at from leg where id = $1',
      take: async (now) => (await operations.takeLeg(scope, id, now, now + leaseMs)) !== undefined,
    };
  },
  'a webhook to a buyer': async () => {
    const scope = await createScope(store);
    const id = randomUUID();
    await owner.query(outboxed, [scope.organizationId, id, id]);
    return {
      id,
      end: 'select lease_until as at from outbox_event where id = $1',
      take: async (now) => (await outboxStore(store).claim(scope, now, now + leaseMs, 1)).length > 0,
    };
  },
  'a look for missing reports': async () => {
    const scope = await createScope(store);
    const { legId } = await createBookedBuy(store, scope.organizationId);
    const watches = reportWatches(store);
    await watches.open(scope, Date.now(), Date.now() - 2 * hourMs);
    return {
      id: legId,
      end: 'select lease_until as at from report_watch where leg_id = $1',
      take: async (now) => (await watches.take(scope, now, now + leaseMs, 1)).length > 0,
    };
  },
  'an answer to a seller': async () => {
    const scope = await createScope(store);
    const id = randomUUID();
    await owner.query(answering, [scope.organizationId, id]);
    return {
      id,
      end: 'select due_at as at from approval where id = $1',
      take: async (now) => (await approvalStore(store).take(scope, id, now, now + leaseMs)) !== undefined,
    };
  },
  'the question what a seller can do': async () => {
    const scope = await createScope(store);
    const { id } = await createConnection(store, scope.organizationId);
    return {
      id,
      end: 'select capabilities_due_at as at from connection where id = $1',
      take: async (now) => {
        const taken = await connectionDirectory(store).takeAged(scope, now, now + leaseMs, 1);
        return taken.length > 0;
      },
    };
  },
  'the hourly look at a seller': async () => {
    const scope = await createScope(store);
    const { id } = await createConnection(store, scope.organizationId);
    return {
      id,
      end: 'select look_due_at as at from connection where id = $1',
      take: async (now) =>
        (await connectionDirectory(store).takeForLook(scope, now, now + leaseMs, 1)).length > 0,
    };
  },
};

describe.each(Object.entries(kinds))('the lease of %s', (_kind, made) => {
  it('is not taken over by a process whose clock is an hour ahead', async () => {
    const held = await made();
    const now = Date.now();
    expect(await held.take(now)).toBe(true);
    expect(await held.take(now + hourMs)).toBe(false);
  });

  it.each([-hourMs, hourMs])(
    'has the requested length for a process whose clock is %d ms off',
    async (off) => {
      const held = await made();
      const before = await databaseTime();
      expect(await held.take(Date.now() + off)).toBe(true);
      const { rows } = await owner.query<{ at: Date }>(held.end, [held.id]);
      const end = rows[0]?.at.getTime() ?? 0;
      expect(end).toBeGreaterThanOrEqual(before + leaseMs - 1);
      expect(end).toBeLessThanOrEqual((await databaseTime()) + leaseMs + 1);
    },
  );
});

async function databaseTime(): Promise<number> {
  const { rows } = await owner.query<{ at: Date }>('select clock_timestamp() as at');
  return rows[0]?.at.getTime() ?? 0;
}
