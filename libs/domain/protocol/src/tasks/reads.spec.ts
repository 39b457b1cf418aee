import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { getMediaBuyDelivery } from './get-media-buy-delivery.js';
import { getMediaBuys } from './get-media-buys.js';
import { getTask } from './get-task.js';
import { listCreativeFormats } from './list-creative-formats.js';

const profile = (form: Form): WireProfile => ({ dialect: 'ads', form });
const none = new Map<string, string>();

describe('get_media_buys', () => {
  it('reads buys with their status, money and impairments, and writes them in every form', () => {
    const buy = {
      media_buy_id: 'm',
      status: 'active',
      currency: 'USD',
      total_budget: 1000.5,
      packages: [{ package_id: 'k', budget: 1000.5, novel: 1 }],
      impairments: [{ impairment_id: 'i1' }],
      webhook_activity: [],
      context: { buyer_ref: 'camp' },
    };
    const reading = must(getMediaBuys.readAnswer({ media_buys: [buy, {}, 7] }, profile('3.1')));
    expect(reading.setAside).toHaveLength(2);
    expect(reading.answer.mediaBuys[0]).toMatchObject({
      status: 'active',
      totalBudget: '1000.5',
      buyerRef: 'camp',
      impairments: [{ impairment_id: 'i1' }],
      webhookActivity: [],
    });
    const answer = (form: Form): JsonObject => getMediaBuys.projectAnswer(reading.answer, profile(form));
    expect(answer('3.1')).toMatchObject({ media_buys: [{ health: 'impaired', packages: [{ novel: 1 }] }] });
    expect(answer('service')).toMatchObject({
      media_buys: [{ buyer_ref: 'camp', status: 'active', total_budget: 1000.5 }],
    });
    expect(JSON.stringify(answer('3.0'))).not.toContain('impairment');
  });

  it('names an account by its id or by its pair, and never by both', () => {
    const pair = { brand: { domain: 'b.example' }, operator: 'agency.example' };
    const read = (account: JsonObject): unknown => {
      const readResult = getMediaBuys.readRequest({ account }, profile('3.1'), none);
      return readResult.ok ? 'read' : readResult.error;
    };
    for (const account of [
      { account_id: 'a' },
      pair,
      { ...pair, sandbox: true },
      { account_id: 'a', novel: 1 },
    ])
      expect(read(account)).toBe('read');
    for (const account of [
      { account_id: 'a', ...pair },
      { account_id: 'a', operator: 'agency.example' },
    ])
      expect(read(account)).toMatchObject([
        {
          code: 'VALIDATION_ERROR',
          field: 'account',
          suggestion: 'Send either an account_id or a pair of brand and operator as account.',
        },
      ]);
  });

  it('shows the impairments of a buy in the service form and in 3.1, which alone have a member for them', () => {
    const original = { form: 'ours', value: {} } as const;
    const impairments = [{ impairment_id: 'i1', resource_type: 'audience' }];
    const shown = (form: Form): JsonObject =>
      getMediaBuys.projectAnswer(
        { mediaBuys: [{ mediaBuyId: 'm', status: 'active', packages: [], impairments, original }] },
        profile(form),
      );
    for (const form of ['service', '3.1'] as const)
      expect(shown(form)).toMatchObject({ media_buys: [{ impairments }] });
    for (const form of ['2.5', '3.0'] as const)
      expect(JSON.stringify(shown(form))).not.toContain('impairment');
  });

  it('shows a history in the releases 3.x only', () => {
    const original = { form: 'ours', value: {} } as const;
    const entry = { revision: 2, timestamp: '2026-01-01T00:00:00Z', action: 'paused', packageId: 'acme:p1' };
    const plain = { mediaBuyId: 'm', status: 'active', packages: [], impairments: [], original } as const;
    const shown = (form: Form): JsonObject =>
      getMediaBuys.projectAnswer({ mediaBuys: [{ ...plain, history: [entry] }] }, profile(form));
    const { packageId, ...members } = entry;
    for (const form of ['3.0', '3.1'] as const)
      expect(shown(form)).toMatchObject({
        media_buys: [{ history: [{ ...members, package_id: packageId }] }],
      });
    for (const form of ['2.5', 'service'] as const)
      expect(JSON.stringify(shown(form))).not.toContain('history');
  });

  it.each([0, 1, 1000])('accepts %i as the length of the history', (include_history) => {
    const request = getMediaBuys.readRequest({ include_history }, profile('3.1'), none);
    expect(request).toMatchObject({ ok: true, value: { includeHistory: include_history } });
  });

  it.each([-1, 1.5, 1001])(
    'refuses %d as the length of the history, and names the field',
    (include_history) => {
      expect(getMediaBuys.readRequest({ include_history }, profile('3.1'), none)).toMatchObject({
        ok: false,
        error: [{ field: 'include_history' }],
      });
    },
  );

  it('accepts one id or many, and a filter as a text or a list', () => {
    const request = getMediaBuys.readRequest(
      { media_buy_id: 'm', status_filter: 'active' },
      profile('service'),
      none,
    );
    expect(request).toMatchObject({ ok: true, value: { mediaBuyIds: ['m'], statusFilter: ['active'] } });
    expect(getMediaBuys.readRequest({ media_buy_ids: 'm' }, profile('3.1'), none)).toMatchObject({
      ok: false,
      error: [{ code: 'VALIDATION_ERROR', field: 'media_buy_ids' }],
    });
  });
});

describe('a filter of states', () => {
  const read = (task: typeof getMediaBuys | typeof getMediaBuyDelivery, filter: JsonValue, form: Form) =>
    task.readRequest({ status_filter: filter }, profile(form), none);

  it('refuses a value that is no state, which would find nothing', () => {
    for (const task of [getMediaBuys, getMediaBuyDelivery]) {
      expect(read(task, ['active', 'flying'], '3.1')).toMatchObject({
        error: [{ code: 'VALIDATION_ERROR', field: 'status_filter[1]' }],
      });
      expect(read(task, 'all', 'service')).toMatchObject({
        error: [{ code: 'VALIDATION_ERROR', field: 'status_filter' }],
      });
    }
  });

  it('has the same meaning in every release as the states in its answers', () => {
    const statuses = (filter: JsonValue, form: Form): unknown => {
      const request = read(getMediaBuys, filter, form);
      return request.ok ? request.value.statusFilter : [];
    };
    expect(statuses('reporting_delayed', 'service')).toEqual(['active']);
    expect(statuses('pending', 'service')).toEqual(['pending_creatives', 'pending_start']);
    expect(statuses('cancelled', '3.1')).toEqual(['canceled']);
  });
});

describe('get_media_buy_delivery', () => {
  it('accepts days in either form’s members and refuses an invalid day or a reversed range', () => {
    const read = (args: JsonObject) => getMediaBuyDelivery.readRequest(args, profile('service'), none);
    const range = { start: '2027-01-01T00:00:00Z', end: '2027-01-08T00:00:00Z' };
    expect(read({ date_range: range, granularity: 'daily' })).toMatchObject({
      ok: true,
      value: { startDate: '2027-01-01', endDate: '2027-01-08', timeGranularity: 'daily' },
    });
    expect(read({ start_date: '2027-02-30' })).toMatchObject({ error: [{ field: 'start_date' }] });
    expect(read({ start_date: '2027-02-02', end_date: '2027-02-02' })).toMatchObject({
      error: [{ code: 'INVALID_REQUEST', field: 'end_date' }],
    });
    expect(read({ time_granularity: 'weekly' })).toMatchObject({ error: [{ field: 'time_granularity' }] });
  });

  it('queries each seller with its own members', () => {
    const request = { mediaBuyIds: ['m'], buyerRefs: ['b'], timeGranularity: 'daily' } as const;
    expect(getMediaBuyDelivery.projectRequest(request, profile('service')).args).toEqual({
      media_buy_ids: ['m'],
      media_buy_id: 'm',
      buyer_refs: ['b'],
      time_granularity: 'daily',
    });
    expect(getMediaBuyDelivery.projectRequest(request, profile('3.0')).args).toEqual({
      ads_major_version: 3,
      media_buy_ids: ['m'],
    });
  });
});

describe('task polling', () => {
  it('reads a task in either generation’s format, with its result', () => {
    const payload = {
      task_id: 't',
      task_type: 'create_media_buy',
      domain: 'media-buy',
      status: 'input_required',
    };
    expect(getTask.readAnswer(payload, profile('2.5'))).toMatchObject({
      ok: true,
      value: { answer: { status: 'input-required', protocol: 'media-buy' } },
    });
    const failed = { ...payload, status: 'failed', error: { code: 'TERMS_REJECTED', message: 'No.' } };
    expect(getTask.readAnswer(failed, profile('3.1'))).toMatchObject({
      value: { answer: { error: { code: 'TERMS_REJECTED' } } },
    });
    expect(getTask.readAnswer({ task_id: 't' }, profile('3.1')).ok).toBe(false);
    expect(getTask.readAnswer({ status: 'working' }, profile('3.1')).ok).toBe(false);
  });

  it('sends protocol to 3.x and domain to older releases', () => {
    const view = {
      taskId: 't',
      taskType: 'create_media_buy',
      protocol: 'media-buy',
      status: 'completed',
      createdAt: '2027-01-01T00:00:00Z',
      updatedAt: '2027-01-01T00:00:00Z',
      result: { media_buy_id: 'm' },
    } as const;
    expect(getTask.projectAnswer(view, profile('3.1'))).toMatchObject({
      protocol: 'media-buy',
      result: { media_buy_id: 'm' },
    });
    expect(getTask.projectAnswer(view, profile('service'))).toMatchObject({ domain: 'media-buy' });
    expect(getTask.readRequest({ task_id: 't' }, profile('service'), none)).toMatchObject({
      value: { includeResult: true },
    });
    expect(getTask.readRequest({}, profile('service'), none)).toMatchObject({
      error: [{ field: 'task_id' }],
    });
  });
});

describe('the event source of conversions', () => {
  const window = { post_click: { interval: 7, unit: 'days' }, model: 'last_touch' };
  const dimensions = { geo: { geo_level: 'country', limit: 5 } };
  const requested = (to: Form) => {
    const args = { attribution_window: window, reporting_dimensions: dimensions };
    const read = must(getMediaBuyDelivery.readRequest(args, profile('3.1'), none));
    return getMediaBuyDelivery.projectRequest(read, profile(to));
  };

  it('is sent unchanged to sellers of 3.x, and is a finding at others', () => {
    for (const form of ['3.0', '3.1'] as const) {
      expect(requested(form).args).toMatchObject({
        attribution_window: window,
        reporting_dimensions: dimensions,
      });
      expect(requested(form).findings).toEqual([]);
    }
    for (const form of ['2.5', 'service'] as const)
      expect(requested(form).findings.map(({ field }) => field)).toEqual([
        'attribution_window',
        'reporting_dimensions',
      ]);
  });

  it('is in the answers of 3.x', () => {
    const received = { media_buy_deliveries: [], currency: 'USD', attribution_window: window };
    const { answer } = must(getMediaBuyDelivery.readAnswer(received, profile('3.0')));
    expect(getMediaBuyDelivery.projectAnswer(answer, profile('3.1'))['attribution_window']).toEqual(window);
    expect(getMediaBuyDelivery.projectAnswer(answer, profile('2.5'))).not.toHaveProperty(
      'attribution_window',
    );
  });
});

describe('list_creative_formats', () => {
  const formatOf = (more: JsonObject) => {
    const format_id = { agent_url: 'https://creative.example', id: 'display_300x250' };
    const { answer, setAside } = must(
      listCreativeFormats.readAnswer({ formats: [{ format_id, ...more }] }, profile('3.1')),
    );
    const shown = listCreativeFormats.projectAnswer(answer, profile('3.1'))['formats'] as JsonObject[];
    return { prices: shown[0]?.['pricing_options'], codes: setAside.map(({ code }) => code) };
  };

  it('keeps the prices of a format', () => {
    const prices = [
      { pricing_option_id: 'p', model: 'per_unit', unit: 'image', unit_price: 1, currency: 'USD' },
    ];
    expect(formatOf({ pricing_options: prices })).toEqual({ prices, codes: [] });
  });

  it.each([[[]], ['ten dollars'], [[{ pricing_option_id: 'p' }]], [[{ model: 'cpm' }]], [[null]]])(
    'sets aside an invalid list of prices: %j',
    (prices) => {
      expect(formatOf({ pricing_options: prices })).toEqual({
        prices: undefined,
        codes: ['FORMAT_PRICES_SET_ASIDE'],
      });
    },
  );

  it('requests a format with its parameters in every form that has formats, and names further agents', () => {
    const sized = { agent_url: 'https://f.example', id: 'd', width: 300, height: 250, duration_ms: 15_000 };
    const read = must(listCreativeFormats.readRequest({ format_ids: [sized] }, profile('3.1'), none));
    for (const form of ['2.5', '3.0', '3.1'] as const)
      expect(listCreativeFormats.projectRequest(read, profile(form)).args['format_ids']).toEqual([sized]);
    const agents = [
      { agent_url: 'https://more.example', capabilities: ['assembly'] },
      { agent_name: 'nowhere' },
    ];
    const answered = must(
      listCreativeFormats.readAnswer({ formats: [], creative_agents: agents }, profile('3.0')),
    );
    for (const form of ['service', '2.5', '3.0', '3.1'] as const)
      expect(listCreativeFormats.projectAnswer(answered.answer, profile(form))['creative_agents']).toEqual(
        agents.slice(0, 1),
      );
  });

  it('keeps format ids unchanged in every form, with their sizes', () => {
    const formatId = { agent_url: 'https://creative.example/', id: 'banner', width: 300, height: 250 };
    const payload = {
      formats: [{ format_id: formatId, name: 'Banner', type: 'display' }, { name: 'no id' }],
    };
    const reading = must(listCreativeFormats.readAnswer(payload, profile('3.0')));
    expect(reading.setAside).toMatchObject([{ code: 'FORMAT_SET_ASIDE' }]);
    const formats = reading.answer.formats.map((format) => ({ ...format, seller: 'acme' }));
    for (const form of ['service', '2.5', '3.0', '3.1'] as const) {
      expect(listCreativeFormats.projectAnswer({ formats }, profile(form))).toMatchObject({
        formats: [{ format_id: formatId, name: 'Banner', type: 'display' }],
      });
    }
  });

  it('requests types if the form has them', () => {
    const request = must(
      listCreativeFormats.readRequest({ format_types: ['video'] }, profile('service'), none),
    );
    expect(listCreativeFormats.projectRequest(request, profile('service')).args).toEqual({
      format_types: ['video'],
    });
    expect(listCreativeFormats.projectRequest(request, profile('2.5')).args).toEqual({ type: 'video' });
    expect(listCreativeFormats.projectRequest(request, profile('3.0')).args).toEqual({
      ads_major_version: 3,
    });
  });
});
