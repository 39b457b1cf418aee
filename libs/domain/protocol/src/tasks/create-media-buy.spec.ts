import { describe, expect, it } from '@jest/globals';
import { must, parseStrictJson, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CreateMediaBuyRequest } from '../entities/media-buy/create-media-buy.js';
import type { TaskError } from '../errors/task-fault.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { createMediaBuy } from './create-media-buy.js';

const key = '0b1f6f4e-5a55-4b53-9d6c-0f3a6f1d2c3b';
const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const profile = (form: Form): WireProfile => ({ dialect: 'ads', form });
const end = '2027-02-01T00:00:00Z';
const line = { product_id: 'acme:p1', pricing_option_id: 'o1', budget: 100 };

const servicePackage = { ...line, buyer_ref: 'line-1', creative_ids: ['c1'] };
const serviceRequest: JsonObject = {
  buyer_ref: 'camp-1',
  brand_manifest: { url: 'https://Brand.example/manifest.json' },
  packages: [servicePackage],
  start_time: { type: 'asap' },
  end_time: end,
};
const modernRequest: JsonObject = {
  idempotency_key: key,
  account: { account_id: 'a1' },
  brand: { domain: 'brand.example', brand_id: 'b1' },
  packages: [line],
  start_time: 'asap',
  end_time: end,
};

function read(args: JsonObject, form: Form): CreateMediaBuyRequest {
  return must(createMediaBuy.readRequest(args, profile(form), new Map()));
}

function refused(args: JsonObject, form: Form): readonly Pick<TaskError, 'code' | 'field'>[] {
  const result = createMediaBuy.readRequest(args, profile(form), new Map());
  if (result.ok) throw new Error('expected a refusal');
  for (const error of result.error) expect(error.suggestion).toBeTruthy();
  return result.error.map(({ code, field }) => ({ code, ...(field === undefined ? {} : { field }) }));
}

const withPackage = (members: JsonObject, form: Form): JsonObject =>
  form === 'service'
    ? { ...serviceRequest, packages: [{ ...servicePackage, ...members }] }
    : { ...modernRequest, packages: [{ ...line, ...members }] };

describe('a request to buy', () => {
  it('means the same in every form', () => {
    const older = { ...serviceRequest, start_time: 'asap' };
    const expected = { startTime: 'asap', endTime: end, brand: { domain: 'brand.example' } };
    expect(read(serviceRequest, 'service')).toMatchObject(expected);
    expect(read(older, '2.5')).toMatchObject(expected);
    expect(read(modernRequest, '3.0')).toMatchObject({
      ...expected,
      brand: { domain: 'brand.example', brandId: 'b1' },
    });
    expect(read(modernRequest, '3.1').packages[0]).toMatchObject({ productId: 'acme:p1', budget: '100' });
  });

  it.each(['push_notification_config', 'reporting_webhook'])(
    'has no guessable token, and none longer than an answer allows: %s',
    (block) => {
      const bringing = (token: string): JsonObject => ({
        ...modernRequest,
        [block]: { url: 'https://b.example/', operation_id: 'op', reporting_frequency: 'daily', token },
      });
      for (const token of ['', 'fifteen-letters', 'x'.repeat(4_097)])
        expect(refused(bringing(token), '3.1')).toMatchObject([{ field: `${block}.token` }]);
      for (const token of ['sixteen-letters-', 'x'.repeat(4_096)]) read(bringing(token), '3.1');
    },
  );

  it('starts at its time, in all notations of a start', () => {
    const starts: readonly [JsonObject | string, string][] = [
      [{ type: 'scheduled', datetime: '2027-01-01T08:00:00+02:00' }, '2027-01-01T08:00:00+02:00'],
      [{ type: 'date', date: '2027-01-01' }, '2027-01-01T00:00:00Z'],
      [{ type: 'asap' }, 'asap'],
      ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
      ['2027-01-01t00:00:00z', '2027-01-01T00:00:00Z'],
    ];
    for (const [start, expected] of starts) {
      expect(read({ ...serviceRequest, start_time: start }, 'service').startTime).toBe(expected);
    }
  });

  it('is refused with its field for an impossible time', () => {
    const start = { start_time: '2027-03-01T00:00:00Z' };
    expect(refused({ ...modernRequest, ...start }, '3.1')).toEqual([
      { code: 'INVALID_REQUEST', field: 'end_time' },
    ]);
    expect(refused({ ...modernRequest, end_time: '2027-02-30T00:00:00Z' }, '3.1')).toEqual([
      { code: 'VALIDATION_ERROR', field: 'end_time' },
    ]);
    expect(refused({ ...modernRequest, start_time: 'soon' }, '3.0')).toEqual([
      { code: 'VALIDATION_ERROR', field: 'start_time' },
    ]);
  });

  it('is refused with the package and the field for an impossible budget', () => {
    for (const form of ['service', '3.0', '3.1'] as const) {
      for (const budget of [0, -1, 0.1 + 0.2, 1e13]) {
        expect(refused(withPackage({ budget }, form), form)).toEqual([
          { code: 'INVALID_REQUEST', field: 'packages[0].budget' },
        ]);
      }
      expect(refused(withPackage({ budget: '100' }, form), form)).toEqual([
        { code: 'VALIDATION_ERROR', field: 'packages[0].budget' },
      ]);
      expect(refused(withPackage({ bid_price: -2 }, form), form)).toEqual([
        { code: 'INVALID_REQUEST', field: 'packages[0].bid_price' },
      ]);
    }
  });

  it('reads a budget from the text on the wire, not from the nearest double', () => {
    const text = JSON.stringify(withPackage({ budget: 111 }, '3.1')).replace(
      '111',
      '90071992547.409930000000000001',
    );
    const parsed = must(parseStrictJson(Buffer.from(text)));
    const result = createMediaBuy.readRequest(parsed.value as JsonObject, profile('3.1'), parsed.exact);
    expect(result.ok ? '' : result.error[0]?.field).toBe('packages[0].budget');
  });

  it('names exactly one kind of creatives in the service form, and is not required to elsewhere', () => {
    const { creative_ids: _ids, ...bare } = servicePackage;
    const field = 'packages[0].creative_ids';
    expect(refused({ ...serviceRequest, packages: [bare] }, 'service')).toEqual([
      { code: 'INVALID_REQUEST', field },
    ]);
    expect(refused(withPackage({ creatives: [] }, 'service'), 'service')).toEqual([
      { code: 'INVALID_REQUEST', field },
    ]);
    expect(read({ ...serviceRequest, start_time: 'asap', packages: [bare] }, '2.5').packages).toHaveLength(1);
    expect(read(modernRequest, '3.1').packages).toHaveLength(1);
  });

  it.each(['service', '2.5'] as const)('never accepts two packages of %s with one reference', (form) => {
    const packages = [servicePackage, { ...servicePackage, buyer_ref: 'line-2' }, servicePackage];
    expect(refused({ ...serviceRequest, packages }, form)).toEqual([
      { code: 'INVALID_REQUEST', field: 'packages[2].buyer_ref' },
    ]);
    expect(read({ ...serviceRequest, packages: packages.slice(0, 2) }, form).packages).toHaveLength(2);
  });

  it('is refused with each member that its form requires and it lacks', () => {
    const { buyer_ref: _ref, brand_manifest: _manifest, ...rest } = serviceRequest;
    expect(refused(rest, 'service')).toEqual([
      { code: 'VALIDATION_ERROR', field: 'buyer_ref' },
      { code: 'VALIDATION_ERROR', field: 'brand_manifest' },
    ]);
    const { idempotency_key: _key, brand: _brand, ...bare } = modernRequest;
    expect(refused(bare, '3.1')).toEqual([
      { code: 'INVALID_REQUEST', field: 'idempotency_key' },
      { code: 'VALIDATION_ERROR', field: 'brand' },
    ]);
    expect(refused({ ...modernRequest, idempotency_key: 'short' }, '3.0')).toEqual([
      { code: 'INVALID_REQUEST', field: 'idempotency_key' },
    ]);
    expect(refused({ ...modernRequest, packages: [] }, '3.0')).toEqual([
      { code: 'VALIDATION_ERROR', field: 'packages' },
    ]);
    expect(refused({ ...modernRequest, packages: 'all' }, '3.0')).toEqual([
      { code: 'VALIDATION_ERROR', field: 'packages' },
    ]);
  });

  it('repeats no value of the request in an error', () => {
    const result = createMediaBuy.readRequest(
      { ...modernRequest, end_time: 7, brand: 'hunter2', packages: [{ product_id: ['hunter2'] }] },
      profile('3.1'),
      new Map(),
    );
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('accepts the members that every task may have, and unknown ones', () => {
    const extra = {
      context: { a: 1 },
      context_id: 'c',
      governance_context: 'g',
      ext: { v: {} },
      new_member: [1],
    };
    expect(read({ ...modernRequest, ...extra }, '3.1')).toMatchObject({ context: { a: 1 }, contextId: 'c' });
  });
});

describe('a request to buy, sent to a seller', () => {
  it('keeps its meaning from every form to every form and back', () => {
    for (const from of forms) {
      const isOlder = from === 'service' || from === '2.5';
      const args = !isOlder
        ? modernRequest
        : from === '2.5'
          ? { ...serviceRequest, start_time: 'asap' }
          : serviceRequest;
      const request = { ...read(args, from), idempotencyKey: key };
      for (const to of forms) {
        const projected = createMediaBuy.projectRequest(request, profile(to)).args;
        const again = read(projected, to);
        expect(again).toMatchObject({ startTime: 'asap', endTime: end, brand: { domain: 'brand.example' } });
        expect(again.packages[0]).toMatchObject({
          productId: 'acme:p1',
          pricingOptionId: 'o1',
          budget: '100',
        });
      }
    }
  });

  it('contains only the packages, ids and addresses of its caller for this seller', () => {
    const sent = { url: 'https://relay.example/webhooks/r1', operationId: 'leg-1' };
    const request = read(
      {
        ...modernRequest,
        packages: [line, { ...line, product_id: 'other:p2' }],
        push_notification_config: { url: 'https://buyer.example/secret-hook', operation_id: 'buyers' },
        adcp_version: '3.1',
      },
      '3.1',
    );
    const [first] = request.packages;
    if (first === undefined) throw new Error('expected a package');
    const leg = {
      ...request,
      packages: [{ ...first, productId: 'p1' }],
      push: sent,
      idempotencyKey: 'k'.repeat(20),
    };
    const { args } = createMediaBuy.projectRequest(leg, { dialect: 'ads', form: '3.1' });
    expect(args).toMatchObject({
      ads_version: '3.1',
      idempotency_key: 'k'.repeat(20),
      packages: [{ product_id: 'p1', budget: 100 }],
      push_notification_config: { url: sent.url, operation_id: 'leg-1' },
    });
    expect(args).not.toHaveProperty('adcp_version');
    expect(JSON.stringify(args)).not.toContain('buyer.example/secret-hook');
    expect(JSON.stringify(args)).not.toContain('other:p2');
  });

  it('sends no address for artifacts, and says what to do instead', () => {
    const artifacts = { url: 'https://buyer.example/artifacts', authentication: { schemes: ['Bearer'] } };
    const request = read({ ...modernRequest, artifact_webhook: artifacts }, '3.1');
    const { args, findings } = createMediaBuy.projectRequest(request, profile('3.1'));
    expect(args).not.toHaveProperty('artifact_webhook');
    expect(findings).toContainEqual({
      ...{ code: 'NOT_CARRIED', field: 'artifact_webhook' },
      message: expect.stringContaining('name content_standards in the targeting_overlay'),
    });
  });

  it('has the buyer’s reference in the context for 3.x, and a created one for sellers that require it', () => {
    const modern = createMediaBuy.projectRequest(read(serviceRequest, 'service'), profile('3.1')).args;
    expect(modern).toMatchObject({
      context: { buyer_ref: 'camp-1' },
      packages: [{ context: { buyer_ref: 'line-1' }, creative_assignments: [{ creative_id: 'c1' }] }],
    });
    const made = createMediaBuy.projectRequest(read(modernRequest, '3.0'), profile('2.5'));
    expect(made.args).toMatchObject({ buyer_ref: key, packages: [{ buyer_ref: `${key}-1` }] });
    expect(made.findings).toMatchObject([
      { code: 'BUYER_REF_MADE', field: 'packages[0].buyer_ref' },
      { code: 'NOT_CARRIED', field: 'brand.brand_id' },
    ]);
  });
});

describe('the answer to a request to buy', () => {
  it('is read in every form, and has the buy’s own status', () => {
    const packages = [{ package_id: 'k1', buyer_ref: 'line-1', budget: 100 }, { nothing: true }];
    const answers: readonly [Form, JsonObject, string][] = [
      ['service', { media_buy_id: 'm', buyer_ref: 'b', status: 'pending', packages }, 'pending_start'],
      ['2.5', { media_buy_id: 'm', buyer_ref: 'b', packages }, 'pending_start'],
      ['3.0', { media_buy_id: 'm', status: 'pending_creatives', packages }, 'pending_creatives'],
      ['3.1', { media_buy_id: 'm', status: 'completed', media_buy_status: 'active', packages }, 'active'],
      ['3.1', { media_buy_id: 'm', status: 'completed', packages }, 'pending_start'],
    ];
    for (const [form, payload, status] of answers) {
      const reading = createMediaBuy.readAnswer(payload, profile(form));
      expect(reading).toMatchObject({
        ok: true,
        value: {
          answer: {
            mediaBuyId: 'm',
            status,
            packages: [{ packageId: 'k1', buyerRef: 'line-1', budget: '100' }],
          },
          setAside: [{ code: 'PACKAGE_SET_ASIDE' }],
        },
      });
    }
    expect(createMediaBuy.readAnswer({ packages }, profile('3.1'))).toMatchObject({
      ok: false,
      error: [{ code: 'INVALID_RESPONSE' }],
    });
  });

  it('omits what a seller wrote for us about its task and account', () => {
    const payload = {
      media_buy_id: 'm',
      packages: [],
      context: { leg: 1 },
      errors: [{ code: 'X' }],
      novel: 1,
    };
    const reading = must(createMediaBuy.readAnswer(payload, profile('3.1')));
    const projected = createMediaBuy.projectAnswer({ ...reading.answer, mediaBuyId: 'ours' }, profile('3.1'));
    expect(projected).toMatchObject({ media_buy_id: 'ours', novel: 1 });
    expect(projected).not.toHaveProperty('context');
    expect(projected).not.toHaveProperty('errors');
  });
});

describe('the published arguments', () => {
  it('name every member of every form, because clients drop others', () => {
    const { properties } = createMediaBuy.inputSchema() as { properties: JsonObject };
    const names = [
      ...Object.keys(serviceRequest),
      ...Object.keys(modernRequest),
      'reporting_webhook',
      'context',
    ];
    for (const name of names) expect(properties).toHaveProperty(name);
    expect(createMediaBuy.inputSchema()).toMatchObject({ type: 'object', additionalProperties: {} });
  });
});

describe('a total beside packages', () => {
  const lines = [
    { ...line, budget: 100.1 },
    { ...line, budget: 200.2 },
  ];
  const withTotal = (amount: number): JsonObject => ({
    ...modernRequest,
    packages: lines,
    total_budget: { amount, currency: 'USD' },
  });

  it('is accepted if it is their sum, to the last digit', () => {
    expect(read(withTotal(300.3), '3.1').packages.map(({ budget }) => budget)).toEqual(['100.1', '200.2']);
  });

  it.each([300.300001, 300, 0])('is refused if it is %d and the sum is 300.3', (amount) => {
    expect(refused(withTotal(amount), '3.0')).toEqual([
      { code: 'INVALID_REQUEST', field: 'total_budget.amount' },
    ]);
  });
});

describe('a proposal', () => {
  const { packages: _lines, ...rest } = modernRequest;
  const lines = [line];
  const total = { amount: 1000.5, currency: 'USD' };
  const acceptance = { io_id: 'io-1', accepted_at: '2026-01-01T00:00:00Z', signatory: 'Ann' };
  const whole = { ...rest, proposal_id: 'acme:plan', total_budget: total };

  it.each(['3.0', '3.1'] as const)('is bought as a whole in release %s, without packages', (form) => {
    const { packages, proposal } = read({ ...whole, io_acceptance: acceptance }, form);
    expect(packages).toEqual([]);
    expect(proposal).toEqual({
      proposalId: 'acme:plan',
      totalBudget: { amount: '1000.5', currency: 'USD' },
      ioAcceptance: acceptance,
    });
  });

  it('is sent to its seller under the given id, and without an empty list of packages', () => {
    const request = read({ ...whole, io_acceptance: acceptance }, '3.1');
    const proposal = { ...request.proposal!, proposalId: 'plan' };
    const { args } = createMediaBuy.projectRequest({ ...request, proposal }, profile('3.0'));
    expect(args).toMatchObject({ proposal_id: 'plan', total_budget: total, io_acceptance: acceptance });
    expect(args).not.toHaveProperty('packages');
  });

  it('is not sent to a seller that a part of it is bought from as packages', () => {
    const { proposal: _whole, ...request } = read({ ...whole, packages: lines }, '3.1');
    const { args } = createMediaBuy.projectRequest(request, profile('3.1'));
    expect(args['packages']).toHaveLength(1);
    expect(args).not.toHaveProperty('proposal_id');
    expect(args).not.toHaveProperty('total_budget');
  });

  it('is reported as lost if a form has no member for it', () => {
    const request = read({ ...whole, packages: lines }, '3.1');
    const { findings } = createMediaBuy.projectRequest(request, profile('service'));
    const lost = findings.filter(({ code }) => code === 'NOT_CARRIED').map(({ field }) => field);
    expect(lost).toEqual(expect.arrayContaining(['proposal_id', 'total_budget']));
  });

  it('is refused with each required member that it lacks', () => {
    const { total_budget: _budget, ...bare } = whole;
    const cases: readonly [JsonObject, string, string][] = [
      [bare, 'VALIDATION_ERROR', 'total_budget'],
      [{ ...whole, total_budget: { currency: 'USD' } }, 'VALIDATION_ERROR', 'total_budget.amount'],
      [{ ...whole, total_budget: { amount: 1 } }, 'VALIDATION_ERROR', 'total_budget.currency'],
      [{ ...whole, total_budget: { ...total, amount: 0 } }, 'INVALID_REQUEST', 'total_budget.amount'],
      [{ ...whole, total_budget: { ...total, currency: 'usd' } }, 'INVALID_REQUEST', 'total_budget.currency'],
      [{ ...whole, io_acceptance: { ...acceptance, io_id: '' } }, 'VALIDATION_ERROR', 'io_acceptance.io_id'],
      [
        { ...whole, io_acceptance: { ...acceptance, accepted_at: 'today' } },
        'INVALID_REQUEST',
        'io_acceptance.accepted_at',
      ],
    ];
    for (const [args, code, field] of cases) expect(refused(args, '3.1')).toEqual([{ code, field }]);
  });

  it.each(['service', '2.5'] as const)('does not exist in the form %s', (form) => {
    const start = form === 'service' ? serviceRequest['start_time'] : 'asap';
    const args = { ...serviceRequest, start_time: start!, proposal_id: 'acme:plan', total_budget: total };
    expect(refused(args, form)).toContainEqual({ code: 'UNSUPPORTED_FEATURE', field: 'proposal_id' });
  });
});

describe('our own members under ext', () => {
  const options: JsonObject = {
    idempotency_key: 'the-key-of-this-request',
    account: { account_id: 'acc_1' },
    brand: { domain: 'brand.example' },
    start_time: 'asap',
    end_time: '2027-01-01T00:00:00Z',
    packages: [{ product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 5 }],
    ext: { switchyard: { all_or_nothing: true }, vendor: { kept: 1 } },
  };

  it('are read, and reach no seller, unlike those of others', () => {
    const read = must(createMediaBuy.readRequest(options, { dialect: 'adcp', form: '3.1' }, new Map()));
    expect(read.allOrNothing).toBe(true);
    for (const form of ['service', '2.5', '3.0', '3.1'] as const) {
      const { args } = createMediaBuy.projectRequest(read, { dialect: 'adcp', form });
      expect(args['ext']).toEqual({ vendor: { kept: 1 } });
    }
  });
});

describe('an option of the wrong type, or under an unknown name', () => {
  it.each<[JsonValue, string]>([
    [{ switchyard: { all_or_nothing: 'yes' } }, 'ext.switchyard.all_or_nothing'],
    [{ switchyard: { all_or_nothing: null } }, 'ext.switchyard.all_or_nothing'],
    [{ switchyard: 'all_or_nothing' }, 'ext.switchyard'],
    [{ switchyard: { allOrNothing: true } }, 'ext.switchyard.allOrNothing'],
  ])('is refused, not ignored: %j', (ext, field) => {
    for (const [request, form] of [
      [serviceRequest, 'service'],
      [modernRequest, '3.1'],
    ] as const)
      expect(refused({ ...request, ext }, form)).toEqual([{ code: 'VALIDATION_ERROR', field }]);
  });
});

describe('a brand with an invalid domain', () => {
  it('is refused as invalid, not as missing', () => {
    const received = createMediaBuy.readRequest(
      { ...modernRequest, brand: { domain: 'Bike Shop & Sons' } },
      { dialect: 'adcp', form: '3.1' },
      new Map(),
    );
    expect(received.ok ? [] : received.error).toMatchObject([
      { code: 'VALIDATION_ERROR', field: 'brand.domain', message: 'The brand has no usable domain.' },
    ]);
  });
});

describe('a value that the release of a seller has no member for', () => {
  const rich: JsonObject = {
    ...modernRequest,
    plan_id: 'plan-1',
    io_acceptance: { io_id: 'io-1' },
    paused: true,
    packages: [{ ...line, optimization_goals: [{ kind: 'metric', metric: 'clicks' }], impressions: 10_000 }],
  };
  const lostAt = (form: Form, to: Form): readonly (string | undefined)[] =>
    createMediaBuy
      .projectRequest(read(rich, form), profile(to))
      .findings.filter(({ code }) => code === 'NOT_CARRIED')
      .map(({ field }) => field);

  it.each(['service', '2.5'] as const)('is reported member by member at a seller of %s', (to) => {
    expect(lostAt('3.1', to)).toEqual([
      'plan_id',
      'io_acceptance',
      'paused',
      'packages[0].optimization_goals',
      // 2.5 has impression goals.
      ...(to === 'service' ? ['packages[0].impressions'] : []),
      'brand.brand_id',
    ]);
  });

  it('is one of the terms of each package, which 3.x has members for: vendor, standards and metrics', () => {
    const vendor = { domain: 'counts.example' };
    const terms = {
      measurement_terms: { billing_measurement: { vendor } },
      performance_standards: [{ metric: 'viewability', threshold: 0.7, standard: 'mrc', vendor }],
      committed_metrics: [{ scope: 'standard', metric_id: 'impressions' }],
    };
    const bought = { ...modernRequest, packages: [line, { ...line, ...terms }] };
    const at = (to: Form) => {
      const { args, findings } = createMediaBuy.projectRequest(read(bought, '3.1'), profile(to));
      const [, second = {}] = args['packages'] as JsonObject[];
      const lost = findings.filter(({ code }) => code === 'NOT_CARRIED').map(({ field }) => field);
      return { sent: Object.keys(second).filter((name) => name in terms), lost };
    };
    expect(at('3.1')).toEqual({ sent: Object.keys(terms), lost: [] });
    expect(at('3.0')).toEqual({
      sent: ['measurement_terms', 'performance_standards'],
      lost: ['packages[1].committed_metrics'],
    });
    for (const older of ['2.5', 'service'] as const)
      expect(at(older)).toEqual({
        sent: [],
        lost: [...Object.keys(terms).map((name) => `packages[1].${name}`), 'brand.brand_id'],
      });
  });

  it('is kept if both forms have it: goals and a paused package, between 2.5 and 3.x', () => {
    const options = { impressions: 10_000, paused: true, pacing: 'asap' };
    const sent = (form: Form, to: Form) => {
      const args = form === '3.1' ? modernRequest : serviceRequest;
      const packages = (args['packages'] as JsonObject[]).map((item) => ({ ...item, ...options }));
      const start = form === '2.5' ? { start_time: 'asap' } : {};
      const [first] = createMediaBuy.projectRequest(read({ ...args, ...start, packages }, form), profile(to))
        .args['packages'] as JsonObject[];
      return first;
    };
    expect(sent('3.1', '2.5')).toMatchObject(options);
    expect(sent('2.5', '3.1')).toMatchObject(options);
    expect(sent('2.5', '3.0')).toMatchObject(options);
  });

  it('of targeting is written with the members of the release, and reported if it has none', () => {
    const overlay = { geo_countries: ['US'], device_type: ['ctv'] };
    const aimed = { ...modernRequest, packages: [{ ...line, targeting_overlay: overlay }] };
    const { args, findings } = createMediaBuy.projectRequest(read(aimed, '3.1'), profile('2.5'));
    expect(args['packages']).toEqual([
      expect.objectContaining({
        targeting_overlay: { geo_country_any_of: ['US'], device_type: ['ctv'] },
      }),
    ]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'TARGETING_NOT_CARRIED',
        field: 'packages[0].targeting_overlay.device_type',
      }),
    );
  });

  it('is absent between peers of one release, and is the missing member of the older one between two', () => {
    expect(lostAt('3.1', '3.1')).toEqual([]);
    expect(lostAt('3.1', '3.0')).toEqual(['paused']);
  });
});
