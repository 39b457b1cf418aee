import { afterAll, describe, expect, it } from '@jest/globals';
import { publishedSchemas, schemasAreThere } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { projectEnvelope } from '../message/answer-envelope.js';
import type { Finding } from '../losses/finding.js';
import type { UpdateMediaBuyAnswer, UpdateMediaBuyRequest } from '../entities/media-buy/update-media-buy.js';
import type { Form } from '../versions/wire-profile.js';
import { updateMediaBuy } from './update-media-buy.js';

const schemas = publishedSchemas();
let skipped = 0;

/** Checks a message against the published schema of its form. The `service` form has none. */
function conforms(form: Form, name: string, message: JsonObject): void {
  if (form === 'service') return;
  if (!schemasAreThere) {
    skipped += 1;
    return;
  }
  const faults = schemas.faults(form, `media-buy/${name}.json`, JSON.parse(JSON.stringify(message)));
  expect({ form, name, message, faults }).toEqual({ form, name, message, faults: [] });
}

afterAll(() => {
  if (skipped > 0)
    console.log(`${skipped} checks against published schemas were skipped: they are not here.`);
});

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const profile = (form: Form) => ({ dialect: 'adcp' as const, form });
const key = 'the-key-of-this-request';
const account = { account_id: 'acc_1' };

const targeting = { geo_countries: ['DE'] };
const changes: Readonly<Record<Form, JsonObject>> = {
  service: {
    media_buy_id: 'mb_1',
    updates: {
      status: 'paused',
      end_time: '2027-02-01T00:00:00Z',
      packages: [
        { package_id: 'acme:p1', budget: 1500.25, targeting_overlay: targeting, creative_ids: ['c1'] },
      ],
    },
  },
  '2.5': {
    media_buy_id: 'mb_1',
    paused: true,
    end_time: '2027-02-01T00:00:00Z',
    packages: [{ package_id: 'acme:p1', budget: 1500.25, targeting_overlay: {}, creative_ids: ['c1'] }],
  },
  '3.0': {
    adcp_major_version: 3,
    idempotency_key: key,
    account,
    media_buy_id: 'mb_1',
    paused: true,
    end_time: '2027-02-01T00:00:00Z',
    packages: [
      {
        package_id: 'acme:p1',
        budget: 1500.25,
        targeting_overlay: targeting,
        creative_assignments: [{ creative_id: 'c1' }],
      },
    ],
  },
  '3.1': {
    adcp_version: '3.1',
    adcp_major_version: 3,
    idempotency_key: key,
    account,
    media_buy_id: 'mb_1',
    revision: 2,
    paused: true,
    end_time: '2027-02-01T00:00:00Z',
    packages: [
      {
        package_id: 'acme:p1',
        budget: 1500.25,
        targeting_overlay: targeting,
        creative_assignments: [{ creative_id: 'c1' }],
      },
    ],
  },
};

function read(form: Form, args: JsonObject): UpdateMediaBuyRequest {
  return must(updateMediaBuy.readRequest(args, profile(form), new Map()));
}

function faults(form: Form, args: JsonObject): readonly (string | undefined)[] {
  const result = updateMediaBuy.readRequest(args, profile(form), new Map());
  return result.ok ? [] : result.error.map(({ code, field }) => `${code} ${field ?? ''}`);
}

/** The members that every form has, and no others. */
function meaning(request: UpdateMediaBuyRequest): unknown {
  const [update] = request.packages;
  return {
    id: request.mediaBuyId,
    paused: request.paused,
    end: request.endTime,
    package: update?.packageId,
    budget: update?.budget,
    creatives: update?.creativeAssignments,
  };
}

const outward = (request: UpdateMediaBuyRequest, to: Form) =>
  updateMediaBuy.projectRequest(
    { ...request, account: { accountId: 'acc_2' }, idempotencyKey: 'a-key-for-this-seller' },
    profile(to),
  );

const codes = (findings: readonly Finding[]) => findings.map(({ code, field }) => `${code} ${field ?? ''}`);

describe('an update in any form', () => {
  for (const from of forms) {
    it(`${from} is a published message, and keeps its meaning`, () => {
      conforms(from, 'update-media-buy-request', changes[from]);
      expect(meaning(read(from, changes[from]))).toEqual({
        id: 'mb_1',
        paused: true,
        end: '2027-02-01T00:00:00Z',
        package: 'acme:p1',
        budget: '1500.25',
        creatives: [{ creative_id: 'c1' }],
      });
    });

    for (const to of forms) {
      it(`${from} to ${to} conforms there, returns with the same meaning, or reports what was lost`, () => {
        const request = read(from, changes[from]);
        const { args, findings } = outward(request, to);
        conforms(to, 'update-media-buy-request', args);
        expect(meaning(read(to, args))).toEqual(meaning(request));
        const losesRevision = from === '3.1' && (to === '2.5' || to === 'service');
        expect(codes(findings)).toEqual(losesRevision ? ['NOT_CARRIED_OVER revision'] : []);
      });
    }
  }
});

describe('what a release cannot express', () => {
  const ending: JsonObject = {
    idempotency_key: key,
    account,
    media_buy_id: 'mb_1',
    canceled: true,
    cancellation_reason: 'The brand withdrew.',
  };

  it('a cancellation is a pause in 2.5, with a finding, and a status in the service form', () => {
    const request = read('3.1', ending);
    const older = outward(request, '2.5');
    expect(older.args).toMatchObject({ media_buy_id: 'mb_1', paused: true });
    expect(older.args['canceled']).toBeUndefined();
    expect(codes(older.findings)).toEqual([
      'CANCEL_AS_PAUSE canceled',
      'NOT_CARRIED_OVER cancellation_reason',
    ]);
    conforms('2.5', 'update-media-buy-request', older.args);
    const service = outward(request, 'service');
    expect(service.args['updates']).toEqual({
      status: 'canceled',
      cancellation_reason: 'The brand withdrew.',
    });
    expect(service.findings).toEqual([]);
  });

  it('new packages, dates of packages and goals are findings if they cannot be sent', () => {
    const request = read('3.1', {
      idempotency_key: key,
      account,
      media_buy_id: 'mb_1',
      new_packages: [{ product_id: 'ctv', pricing_option_id: 'cpm', budget: 5 }],
      packages: [
        { package_id: 'p1', end_time: '2027-01-01T00:00:00Z', optimization_goals: [{ kind: 'event' }] },
        { package_id: 'p2', canceled: true },
        { package_id: 'p3', creative_assignments: [{ creative_id: 'c1', weight: 30 }] },
      ],
    });
    expect(codes(outward(request, '2.5').findings)).toEqual([
      'NOT_CARRIED_OVER packages[0].optimization_goals',
      'NOT_CARRIED_OVER packages[0].end_time',
      'CANCEL_AS_PAUSE packages[1].canceled',
      'NOT_CARRIED_OVER new_packages',
    ]);
    expect(codes(outward(request, 'service').findings)).toEqual([
      'NOT_CARRIED_OVER packages[0].optimization_goals',
      'NOT_CARRIED_OVER packages[2].creative_assignments',
      'BUYER_REF_MADE new_packages[0].buyer_ref',
    ]);
    expect(codes(outward(request, '3.0').findings)).toEqual([]);
  });

  it('terms of an added package are findings if they cannot be sent', () => {
    const vendor = { domain: 'counts.example' };
    const request = read('3.1', {
      idempotency_key: key,
      account,
      media_buy_id: 'mb_1',
      new_packages: [
        {
          product_id: 'ctv',
          pricing_option_id: 'cpm',
          budget: 5,
          context: { buyer_ref: 'line' },
          measurement_terms: { billing_measurement: { vendor } },
          committed_metrics: [{ scope: 'standard', metric_id: 'impressions' }],
        },
      ],
    });
    expect(codes(outward(request, 'service').findings)).toEqual([
      'NOT_CARRIED new_packages[0].measurement_terms',
      'NOT_CARRIED new_packages[0].committed_metrics',
    ]);
    expect(codes(outward(request, '3.0').findings)).toEqual([
      'NOT_CARRIED new_packages[0].committed_metrics',
    ]);
    expect(codes(outward(request, '3.1').findings)).toEqual([]);
  });

  it('targeting is written with the members of the release, and reported if it has none', () => {
    const change = { package_id: 'p1', targeting_overlay: { geo_countries: ['US'], device_type: ['ctv'] } };
    const request = read('3.1', { idempotency_key: key, account, media_buy_id: 'mb_1', packages: [change] });
    const { args, findings } = outward(request, '2.5');
    const inOldWords = { geo_country_any_of: ['US'], device_type: ['ctv'] };
    expect(args['packages']).toEqual([{ package_id: 'p1', targeting_overlay: inOldWords }]);
    expect(codes(findings)).toEqual(['TARGETING_NOT_CARRIED packages[0].targeting_overlay.device_type']);
    const older = { media_buy_id: 'mb_1', packages: [{ package_id: 'p1', targeting_overlay: inOldWords }] };
    expect(read('2.5', older).packages[0]?.targetingOverlay).toEqual(change.targeting_overlay);
  });

  it('a budget and a targeting of the whole buy exist only in the service description', () => {
    const request = read('service', {
      media_buy_id: 'mb_1',
      updates: { budget_change: { absolute: 900 }, targeting },
    });
    expect(request).toMatchObject({ budget: '900', targetingOverlay: targeting });
    expect(outward(request, 'service').args['updates']).toEqual({
      budget_change: { absolute: 900 },
      targeting,
    });
    expect(codes(outward(request, '3.1').findings)).toEqual([
      'NOT_CARRIED_OVER budget_change',
      'NOT_CARRIED_OVER targeting',
    ]);
  });
});

describe('a budget given as a difference', () => {
  it.each([
    [250.5, '250.5'],
    [-100, '-100'],
  ])('is read with its sign: %d', (difference, budgetDifference) => {
    const asked = { media_buy_id: 'mb_1', updates: { budget_change: { difference } } };
    const request = read('service', { idempotency_key: key, ...asked });
    expect(request).toMatchObject({ budgetDifference });
    expect(request.budget).toBeUndefined();
    // A repetition without a key would count twice.
    expect(faults('service', asked)).toEqual(['VALIDATION_ERROR idempotency_key']);
  });
});

describe('the same update given twice', () => {
  it('is one update', () => {
    const reported = { media_buy_id: 'mb_1', paused: true, updates: { paused: true, status: 'paused' } };
    expect(read('service', reported)).toMatchObject({ paused: true });
  });
});

describe('an update that is refused', () => {
  it.each([[500], [{}], [{ absolute: 500, difference: 5 }]])(
    'an ambiguous budget change is never guessed: %j',
    (change) => {
      expect(faults('service', { media_buy_id: 'mb_1', updates: { budget_change: change } })).toEqual([
        'INVALID_REQUEST updates.budget_change',
      ]);
    },
  );

  it.each([
    ['3.1', { idempotency_key: key, packages: [] }, 'VALIDATION_ERROR media_buy_id'],
    ['3.1', { media_buy_id: 'mb_1', paused: true }, 'INVALID_REQUEST idempotency_key'],
    ['2.5', { media_buy_id: 'mb_1', buyer_ref: 'spring' }, 'VALIDATION_ERROR buyer_ref'],
    ['2.5', { media_buy_id: 'mb_1', packages: [{ budget: 5 }] }, 'VALIDATION_ERROR packages[0].package_id'],
    ['service', { media_buy_id: 'mb_1', updates: { status: 'completed' } }, 'INVALID_REQUEST updates.status'],
    ['service', { media_buy_id: 'mb_1', updates: { end_time: 'soon' } }, 'VALIDATION_ERROR updates.end_time'],
    [
      '3.1',
      { idempotency_key: key, media_buy_id: 'mb_1', packages: [{ package_id: 'p1', budget: 0.00001 }] },
      'INVALID_REQUEST packages[0].budget',
    ],
    [
      '3.1',
      { idempotency_key: key, media_buy_id: 'mb_1', packages: [{ package_id: 'p1', product_id: 'x' }] },
      'VALIDATION_ERROR packages[0].product_id',
    ],
    ['3.1', { idempotency_key: key, media_buy_id: 'mb_1', canceled: false }, 'VALIDATION_ERROR canceled'],
    ['3.1', { idempotency_key: key, media_buy_id: 'mb_1', budget: 9000 }, 'INVALID_REQUEST budget'],
    ['2.5', { media_buy_id: 'mb_1', status: 'paused' }, 'INVALID_REQUEST status'],
    ['service', { media_buy_id: 'mb_1', targeting_overlay: {} }, 'INVALID_REQUEST targeting_overlay'],
    [
      '3.1',
      {
        idempotency_key: key,
        media_buy_id: 'mb_1',
        packages: [
          { package_id: 'p1', budget: 1 },
          { package_id: 'p1', budget: 2 },
        ],
      },
      'INVALID_REQUEST packages[1].package_id',
    ],
    [
      '2.5',
      { media_buy_id: 'mb_1', packages: [{ buyer_ref: 'a' }, { buyer_ref: 'b' }, { buyer_ref: 'a' }] },
      'INVALID_REQUEST packages[2].buyer_ref',
    ],
    [
      'service',
      { media_buy_id: 'mb_1', updates: { packages: [{ package_id: 'p1' }, { package_id: 'p1' }] } },
      'INVALID_REQUEST updates.packages[1].package_id',
    ],
    [
      'service',
      {
        media_buy_id: 'mb_1',
        updates: { end_time: '2027-02-01T00:00:00Z' },
        end_time: '2027-03-01T00:00:00Z',
      },
      'INVALID_REQUEST end_time',
    ],
    ['service', { media_buy_id: 'mb_1', updates: { paused: true }, paused: false }, 'INVALID_REQUEST paused'],
    [
      'service',
      { media_buy_id: 'mb_1', updates: { status: 'active', paused: true } },
      'INVALID_REQUEST updates.status',
    ],
    [
      '3.1',
      {
        idempotency_key: key,
        media_buy_id: 'mb_1',
        start_time: '2027-02-01T00:00:00Z',
        end_time: '2027-01-01T00:00:00Z',
      },
      'INVALID_REQUEST end_time',
    ],
  ] as readonly (readonly [Form, JsonObject, string])[])('%s %j says %s', (form, args, fault) => {
    expect(faults(form, args)).toEqual([fault]);
  });
});

describe('the answer to an update', () => {
  const answer: UpdateMediaBuyAnswer = {
    mediaBuyId: 'mb_1',
    buyerRef: 'spring',
    status: 'paused',
    revision: 3,
    currency: 'USD',
    totalBudget: '1500.25',
    implementationDate: '2026-11-21T00:00:00.000Z',
    affectedPackages: [
      {
        packageId: 'acme:p1',
        productId: 'acme:ctv',
        budget: '1500.25',
        paused: true,
        original: { form: 'ours', value: {} },
      },
    ],
    actions: [{ action: 'resume', mode: 'requires_approval' }],
    original: { form: 'ours', value: {} },
  };

  for (const form of forms) {
    it(`${form} conforms, and is read as far as the form has members`, () => {
      const payload = updateMediaBuy.projectAnswer(answer, profile(form));
      const around = projectEnvelope({ profile: profile(form), status: 'completed' }, payload);
      conforms(form, 'update-media-buy-response', around);
      const back = must(updateMediaBuy.readAnswer(payload, profile(form)));
      expect(back.answer).toMatchObject({
        mediaBuyId: 'mb_1',
        implementationDate: '2026-11-21T00:00:00.000Z',
        ...(form === '2.5' ? {} : { status: 'paused', revision: 3 }),
      });
      expect(back.answer.affectedPackages[0]).toMatchObject({ packageId: 'acme:p1', paused: true });
    });
  }

  it('lists the next available actions, with their mode, in the forms that have a member for them', () => {
    const modern = updateMediaBuy.projectAnswer(answer, profile('3.1'));
    expect(modern['available_actions']).toEqual([{ action: 'resume', mode: 'requires_approval' }]);
    expect(updateMediaBuy.projectAnswer(answer, profile('3.0'))['valid_actions']).toEqual(['resume']);
    expect(updateMediaBuy.projectAnswer(answer, profile('2.5'))['valid_actions']).toBeUndefined();
  });

  it('has no status of the buy if that member has the status of the task', () => {
    const read = (payload: JsonObject) => {
      const result = updateMediaBuy.readAnswer({ media_buy_id: 'x', ...payload }, profile('3.0'));
      return result.ok ? result.value.answer.status : 'unreadable';
    };
    expect(read({ status: 'completed' })).toBeUndefined();
    expect(read({ status: 'canceled' })).toBe('canceled');
    expect(read({ status: 'completed', media_buy_status: 'paused' })).toBe('paused');
  });
});
