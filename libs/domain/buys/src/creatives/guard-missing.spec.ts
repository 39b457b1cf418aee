import { describe, expect, it } from '@jest/globals';
import { readCreative, type Form } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { Placement } from '../model/creative-library.js';
import { guardMissing } from './guard-missing.js';
import type { CreativePlan } from './plan-creatives.js';
import type { CreativePorts } from '../model/creative-ports.js';
import type { CreativeMutation } from '../model/creative-ports.js';

const fresh = readCreative({ creative_id: 'new', name: 'New', assets: {} }, '3.1');

interface Wishes {
  readonly form?: Form;
  /** Without one, a release 3.x cannot be asked at all. */
  readonly creatives?: CreativePlan['creatives'];
  readonly isShared?: boolean;
}

/** The plan of a request that leaves out `old`, which acme took from us, after the guard has looked at acme. */
async function guarded(pages: readonly JsonObject[], { form = '3.1', creatives, isShared }: Wishes = {}) {
  const harness: BuyingHarness = await openBuyingHarness({ acme: { isIdempotent: true, form } });
  for (const page of pages) harness.seller('acme').fate('list_creatives', { says: page });
  const connection = harness.connection('acme');
  const held: Placement = {
    creativeId: 'old',
    connectionId: connection.id,
    seller: 'acme',
    status: 'approved',
    syncedAt: 1,
  };
  const elsewhere: Placement = { ...held, creativeId: 'at-bravo', connectionId: 'another' };
  const ports = {
    ...harness.ports,
    creatives: {
      acceptedPlacements: () => Promise.resolve([held, elsewhere]),
      sharesAccount: () => Promise.resolve(isShared ?? false),
    },
  } as unknown as CreativePorts;
  const sent = creatives ?? [fresh];
  const plan: CreativePlan = {
    creatives: sent,
    legs: [{ connection, creatives: sent, assignments: [], missing: ['old'], names: new Map() }],
    notes: { creatives: [], findings: [], archived: ['old'] },
  };
  const { scope, principalId } = harness;
  const done = await guardMissing(ports, { scope, principalId } as CreativeMutation, plan, new Map());
  return {
    missing: done.legs.flatMap((leg) => leg.missing),
    legs: done.legs.length,
    findingTexts: done.notes.findings.map(({ code, message }) => `${code}: ${message}`),
    reads: harness.seller('acme').received.map(({ args }) => args),
  };
}

const row = (id: string, status = 'approved'): JsonObject => ({
  creative_id: id,
  name: id,
  status,
  format_id: { agent_url: 'https://formats.example', id: 'banner' },
  created_date: '2026-01-01T00:00:00Z',
  updated_date: '2026-01-01T00:00:00Z',
});
const page = (rows: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  creatives: [...rows],
  query_summary: { total_matching: rows.length, returned: rows.length },
  pagination: { has_more: false, ...more },
});

describe('delete_missing of a request', () => {
  it('is sent to a seller that has only our creatives', async () => {
    const { missing, findingTexts } = await guarded([page([row('old'), row('new')])]);
    expect([missing, findingTexts]).toEqual([['old'], []]);
  });

  it('is not sent to a seller that has another buyer’s creative, even on its last page', async () => {
    const { missing, legs, findingTexts, reads } = await guarded([
      page([row('old')], { has_more: true, cursor: 'more' }),
      page([row('of-another-tenant')]),
    ]);
    expect([missing, legs]).toEqual([[], 1]);
    expect(findingTexts).toEqual([
      'DELETE_MISSING_NOT_SENT: The seller acme has creatives that are not yours, so nothing ' +
        'was deleted there.',
    ]);
    expect(reads[1]).toMatchObject({ pagination: { cursor: 'more' } });
  });

  it('treats our creatives at another seller as not ours at this one', async () => {
    expect((await guarded([page([row('old'), row('at-bravo')])])).missing).toEqual([]);
  });

  it('is sent even if creatives are archived there', async () => {
    expect((await guarded([page([row('old'), row('gone', 'archived')])])).missing).toEqual(['old']);
  });

  it.each<[string, readonly JsonObject[]]>([
    ['did not answer', [{ errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'Busy.' }] }]],
    ['showed a row that cannot be read', [page([row('old'), { name: 'nobody’s' }])]],
    [
      'never came to an end',
      Array.from({ length: 21 }, () => page([row('old')], { has_more: true, cursor: 'x' })),
    ],
  ])('is not sent to a seller that %s', async (_what, pages) => {
    const { missing, findingTexts } = await guarded(pages);
    expect(missing).toEqual([]);
    expect(findingTexts[0]).toMatch(/did not return its whole library/);
  });

  it('is never sent if another tenant may share the account, whatever its library shows', async () => {
    const { missing, findingTexts, reads } = await guarded([page([row('old'), row('new')])], {
      isShared: true,
    });
    expect([missing, reads]).toEqual([[], []]);
    expect(findingTexts[0]).toMatch(
      /DELETE_MISSING_NOT_SENT: The seller acme has one library for an account/,
    );
  });

  it.each<[Form, number]>([
    ['service', 1],
    ['2.5', 1],
    ['3.0', 0],
    ['3.1', 0],
  ])('without creatives, to a seller of %s, makes %i requests', async (form, legs) => {
    const done = await guarded(
      [page([row('old')], form === '2.5' || form === 'service' ? { offset: 0 } : {})],
      {
        form,
        creatives: [],
      },
    );
    expect(done.legs).toBe(legs);
  });
});
