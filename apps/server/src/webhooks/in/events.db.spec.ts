import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Grant } from '@switchyard/tenancy';
import { must } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import { report, specInbox, taskUpdate, type SpecInbox, type SpecSeller } from '../testkit/inbox.js';

let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
});

const apply = () => applyInbox(inbox.deps, inbox.scope);
const list = (state?: Parameters<SpecInbox['admin']['list']>[1]['state']) =>
  inbox.admin.list(inbox.caller, {
    seller: seller.connection.slug,
    ...(state === undefined ? {} : { state }),
  });
const spend = async () =>
  (await inbox.deps.ledger.deliveredBy(inbox.scope, seller.mediaBuyId)).map(
    (delivered) => delivered.spendMicros,
  );

/** Posts one webhook, applies it, and answers its row. */
async function taken(body: object, address = seller.reportAddress) {
  // Two events of one instant have no order: time moves on between them.
  inbox.clock.advance(1);
  expect((await inbox.post(seller, body, { address })).status).toBe(200);
  await apply();
  const [newest] = await list();
  if (newest === undefined) throw new Error('Nothing was listed.');
  return newest;
}

describe('the quarantine for operators', () => {
  it('lists quarantined events with the reason, and shows the verdict step by step, and bytes only on request', async () => {
    const event = await taken(report(seller, { result: { aggregated_totals: { spend: 10 } } }));
    expect(event).toMatchObject({
      state: 'quarantined',
      reason: 'aggregated_totals',
      kind: 'delivery_report',
      operation_id: seller.operationId,
      sender: seller.connection.agentUrl,
    });
    expect(await spend()).toEqual([]);
    const shown = must(await inbox.admin.show(inbox.caller, event.event_id, { raw: false }));
    expect(shown.steps.length).toBeGreaterThan(10);
    expect(shown.steps.every((step) => step.ok)).toBe(true);
    expect(shown).not.toHaveProperty('raw');
    const raw = await inbox.admin.show(inbox.caller, event.event_id, { raw: true });
    expect(raw).toMatchObject({
      value: { raw: { body_text: expect.stringContaining('aggregated_totals') } },
    });
    const grants = [{ permissions: { reports: ['read'] }, scope: { kind: 'organization' } }] as const;
    const narrow = await inbox.admin.show({ ...inbox.caller, grants }, event.event_id, { raw: true });
    const text = JSON.stringify(narrow);
    expect(narrow).toMatchObject({
      value: { sender: event.seller, raw: { body_text: expect.stringContaining('aggregated_totals') } },
    });
    expect([text.includes(event.sender), text.toLowerCase().includes('signature-input')]).toEqual([
      false,
      false,
    ]);
  });

  it('posts an admitted report to the ledger, and records who admitted it and why, also there', async () => {
    const event = await taken(report(seller, { spend: 12.5, result: { aggregated_totals: {} } }));
    const admitted = await inbox.admin.admit(inbox.caller, event.event_id, 'the totals are redundant');
    expect(admitted).toMatchObject({
      ok: true,
      value: {
        state: 'applied',
        decision: {
          decision: 'admitted',
          by: 'finance',
          reason: 'the totals are redundant',
          was: 'aggregated_totals',
        },
      },
    });
    expect(await spend()).toEqual([12_500_000n]);
    const [entry] = await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId);
    expect(entry?.facts['admitted']).toEqual({ by: 'finance', reason: 'the totals are redundant' });
    expect(await inbox.deps.ledger.verify(inbox.scope)).toMatchObject({ ok: true });
  });

  it('admits an event once, even if several people admit it at the same time', async () => {
    const event = await taken(report(seller, { result: { aggregated_totals: {} } }));
    const received = await Promise.all(
      ['a', 'b', 'c', 'd'].map((reason) => inbox.admin.admit(inbox.caller, event.event_id, reason)),
    );
    expect(received.filter(({ ok }) => ok)).toHaveLength(1);
    expect(received.filter((result) => !result.ok && result.error.code === 'CONFLICT')).toHaveLength(3);
    expect(await spend()).toEqual([10_000_000n]);
  });

  it('admits a report that arrived after the final one, and counts it from then on', async () => {
    await taken(report(seller, { type: 'final', spend: 10, timestamp: '2026-11-21T10:00:00Z' }));
    const late = await taken(report(seller, { day: '2026-11-02', spend: 3, sequence: 2 }));
    expect(late).toMatchObject({ state: 'quarantined', reason: 'after_final' });
    const refused = await inbox.admin.admit(inbox.caller, late.event_id, 'confirmed on the phone');
    expect(refused).toMatchObject({ ok: true, value: { state: 'applied' } });
    expect(await spend()).toEqual([13_000_000n]);
  });

  it('says why a report cannot be admitted, and leaves it in quarantine', async () => {
    const unknown = await taken(
      report(seller, {
        result: {
          media_buy_deliveries: [
            { media_buy_id: 'nobodys', status: 'active', totals: { spend: 1 }, by_package: [] },
          ],
        },
      }),
    );
    expect(unknown).toMatchObject({ state: 'quarantined', reason: 'unknown_buy' });
    expect(await inbox.admin.admit(inbox.caller, unknown.event_id, 'x')).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT', message: expect.stringContaining('No buy of ours') },
    });
    expect(await list('quarantined')).toMatchObject([{ event_id: unknown.event_id }]);
  });

  it("applies an admitted task event to its leg, and leaves an event for another tenant's operation unchanged", async () => {
    const update = taskUpdate(seller, 'completed', { operation_id: 'op-of-somebody-else' });
    const event = await taken(update, seller.taskAddress);
    expect(event).toMatchObject({ state: 'quarantined', reason: 'operation_id_unknown' });
    expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('working');
    const admitted = await inbox.admin.admit(inbox.caller, event.event_id, 'their adapter echoes an old id');
    expect(admitted).toMatchObject({ ok: true, value: { state: 'applied' } });
    expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('completed');
  });

  it('dismisses an event for good: it stays visible and has no effect', async () => {
    const event = await taken(report(seller, { result: { aggregated_totals: {} } }));
    expect(await inbox.admin.dismiss(inbox.caller, event.event_id, 'sent by mistake')).toMatchObject({
      ok: true,
      value: { state: 'refused', reason: 'dismissed', decision: { was: 'aggregated_totals' } },
    });
    expect(await inbox.admin.admit(inbox.caller, event.event_id, 'x')).toMatchObject({
      error: { code: 'CONFLICT' },
    });
    expect(await spend()).toEqual([]);
    expect(await list('refused')).toMatchObject([{ event_id: event.event_id }]);
  });

  it('shows no event to another organization, and accepts no decision from it', async () => {
    const event = await taken(report(seller, { result: { aggregated_totals: {} } }));
    const stranger = { ...inbox.caller, organizationId: '00000000-0000-4000-8000-0000000000ff' };
    expect(await inbox.admin.list(stranger, {})).toEqual([]);
    for (const answer of [
      await inbox.admin.show(stranger, event.event_id, { raw: true }),
      await inbox.admin.admit(stranger, event.event_id, 'x'),
      await inbox.admin.dismiss(stranger, event.event_id, 'x'),
      await inbox.admin.show(inbox.caller, 'no uuid', { raw: true }),
    ]) {
      expect(answer).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    }
  });

  it('keeps a decision unchanged', async () => {
    const event = await taken(report(seller, { result: { aggregated_totals: {} } }));
    await inbox.admin.dismiss(inbox.caller, event.event_id, 'because');
    await expect(
      inbox.store.inTenant(inbox.scope, (client) =>
        client.query("update event_decision set reason = 'something else'"),
      ),
    ).rejects.toThrow('written once');
  });
});

describe('duplicates', () => {
  it('acknowledges every copy, applies one, and shows how many came', async () => {
    const body = report(seller, { spend: 7 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => inbox.post(seller, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await apply();
    expect(await list('duplicate')).toMatchObject([{ copies: 49 }]);
    expect(await list('applied')).toMatchObject([{ copies: 49 }]);
    expect(await spend()).toEqual([7_000_000n]);
  });

  it('applies the first copy when the payload changes under its key, and records the difference as a finding', async () => {
    const key = `changed-${seller.legId}`;
    const first = await taken(report(seller, { key, spend: 7 }));
    await inbox.post(seller, report(seller, { key, spend: 700 }));
    await apply();
    expect(await spend()).toEqual([7_000_000n]);
    expect(await list('duplicate')).toMatchObject([
      { reason: 'payload_changed', copy_of: first.event_id, copies: 1 },
    ]);
    const shown = await inbox.admin.show(inbox.caller, first.event_id, { raw: false });
    expect(shown).toMatchObject({ value: { duplicates: [{ is_same_body: false, copies: 1 }] } });
  });
});

describe('the export of messages', () => {
  it('contains the exact bytes that a ledger entry names by hash, and what their signature covers', async () => {
    await taken(report(seller, { spend: 7 }));
    const [entry] = await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId);
    const messages = await inbox.admin.messages(inbox.caller);
    const event = messages.find(({ seller: slug }) => slug === seller.connection.slug);
    const bytes = Buffer.from(event?.body_base64 ?? '', 'base64');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(entry?.facts['message']).toMatchObject({ sha256 });
    expect(event).toMatchObject({ state: 'applied', body_sha256: sha256, request: { method: 'POST' } });
    expect(messages.map(({ received_at: at }) => at)).toEqual(
      messages.map(({ received_at: at }) => at).sort(),
    );
  });

  it('shows the secret address only to operators', async () => {
    await taken(report(seller, { spend: 7 }));
    const grants: readonly Grant[] = [
      { permissions: { reports: ['read'] }, scope: { kind: 'organization' } },
    ];
    const reader = { ...inbox.caller, grants };
    const messages = await inbox.admin.messages(reader);
    const event = messages.find(({ seller: slug }) => slug === seller.connection.slug);
    expect(event).not.toHaveProperty('request');
    expect(event?.body_base64).toEqual(expect.any(String));
    expect(JSON.stringify(await inbox.admin.messages(inbox.caller))).toContain(seller.reportAddress);
    expect(JSON.stringify(messages)).not.toContain(seller.reportAddress);
  });
});
