import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inboxPurge, outboxPurge } from '@switchyard/store';
import { applyInbox } from './apply-inbox.js';
import { purgeEvents } from '../../main/scheduled-jobs.js';
import { report, specInbox, type SpecSeller } from '../testkit/inbox.js';

/** The retention of webhooks, from the setting to the rows. */
const dayMs = 24 * 3_600_000;
let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
});

const forget = (days: number | undefined): Promise<void> =>
  purgeEvents(
    {
      ...inbox.deps,
      purge: inboxPurge(inbox.store),
      outboxPurge: outboxPurge(inbox.store),
      bytesRetentionMs: days === undefined ? undefined : days * dayMs,
      activityRetentionMs: undefined,
    },
    inbox.scope,
  );

async function storedBytes(): Promise<readonly (readonly [state: string, bytes: boolean])[]> {
  const { rows } = await inbox.store.inTenant(inbox.scope, (client) =>
    client.query<{ state: string; size: number }>(
      'select state, octet_length(body) as size from inbox_event where connection_id = $1 order by received_at, state',
      [seller.connection.id],
    ),
  );
  return rows.map(({ state, size }) => [state, size > 0] as const);
}

describe('the retention of raw webhooks', () => {
  it('deletes the bytes of ended events, and retains those of quarantined ones', async () => {
    const good = report(seller);
    expect((await inbox.post(seller, good)).status).toBe(200);
    expect((await inbox.post(seller, report(seller, { sequence: 2, spend: -1 }))).status).toBe(200);
    await applyInbox(inbox.deps, inbox.scope);
    inbox.clock.advance(7 * dayMs - 1);
    await forget(7);
    expect(await storedBytes()).toEqual([
      ['applied', true],
      ['quarantined', true],
    ]);
    inbox.clock.advance(2);
    await forget(undefined);
    expect((await storedBytes())[0]).toEqual(['applied', true]);
    await forget(7);
    expect(await storedBytes()).toEqual([
      ['applied', false],
      ['quarantined', true],
    ]);
  });

  it('retains keys of reports: the same report posts nothing a year later', async () => {
    const good = report(seller);
    await inbox.post(seller, good);
    await applyInbox(inbox.deps, inbox.scope);
    inbox.clock.advance(366 * dayMs);
    await forget(1);
    expect((await inbox.post(seller, good)).status).toBe(200);
    await applyInbox(inbox.deps, inbox.scope);
    expect(await storedBytes()).toEqual([['applied', false]]);
    const { rows } = await inbox.store.inTenant(inbox.scope, (client) =>
      client.query('select 1 from ledger_entry where media_buy_id = $1', [seller.mediaBuyId]),
    );
    expect(rows).toHaveLength(1);
  });
});
