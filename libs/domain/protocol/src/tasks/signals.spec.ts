import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { activateSignal } from './activate-signal.js';
import { signalCpms } from '../entities/signal/signal.js';
import { getSignals } from './get-signals.js';

const profile = (form: Form): WireProfile => ({ dialect: 'ads', form });
const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const target = { type: 'platform', platform: 'dsp', account: 'a1' };
const agent = { type: 'agent', agent_url: 'https://sales.example' };
const older = { signal_spec: 'car buyers', deliver_to: { deployments: [target, agent], countries: ['DE'] } };
const modern = { signal_spec: 'car buyers', destinations: [target, agent], countries: ['DE'] };

describe('a request for signals', () => {
  it('has the same meaning in every form, in both directions', () => {
    for (const from of forms) {
      const args = from === 'service' || from === '2.5' ? older : modern;
      const request = must(getSignals.readRequest(args, profile(from), new Map()));
      for (const to of forms) {
        const again = getSignals.readRequest(
          getSignals.projectRequest(request, profile(to)).args,
          profile(to),
          new Map(),
        );
        expect(again).toMatchObject({
          ok: true,
          value: {
            signalSpec: 'car buyers',
            countries: ['DE'],
            destinations: [
              { type: 'platform', platform: 'dsp', account: 'a1' },
              { type: 'agent', agentUrl: 'https://sales.example' },
            ],
          },
        });
      }
    }
  });

  it('is refused with each member that its form requires and it lacks', () => {
    const fieldsOf = (args: JsonObject, form: Form): unknown => {
      const result = getSignals.readRequest(args, profile(form), new Map());
      return result.ok ? [] : result.error.map(({ field }) => field);
    };
    expect(fieldsOf({}, 'service')).toEqual(['signal_spec', 'deliver_to']);
    expect(fieldsOf({}, '3.0')).toEqual(['signal_spec']);
    expect(fieldsOf({ signal_ids: [{}] }, '3.0')).toEqual([]);
    expect(fieldsOf({ ...older, max_results: 0 }, 'service')).toEqual(['max_results']);
    expect(
      fieldsOf({ ...older, deliver_to: { deployments: [{ type: 'moon' }], countries: [] } }, 'service'),
    ).toEqual(['deliver_to.deployments[0]']);
  });
});

describe('the destination of a signal, given under both names', () => {
  const faults = (args: JsonObject): unknown => {
    const result = getSignals.readRequest(args, profile('3.1'), new Map());
    return result.ok ? [] : result.error.map(({ code, field }) => `${code} ${field ?? ''}`);
  };

  it('is accepted if both are equal, and refused if they differ', () => {
    expect(faults({ ...older, ...modern })).toEqual([]);
    expect(faults({ ...older, destinations: [target] })).toEqual(['INVALID_REQUEST destinations']);
    expect(faults({ ...older, countries: ['US'] })).toEqual(['INVALID_REQUEST countries']);
    const named = { deployments: [target], countries: ['DE', 'Germany', 'us'] };
    expect(faults({ ...older, deliver_to: named })).toEqual([
      'VALIDATION_ERROR deliver_to.countries[1]',
      'VALIDATION_ERROR deliver_to.countries[2]',
    ]);
  });

  it('a filter that no signal can match is refused, not answered with none', () => {
    const filtered = (filters: JsonObject) => faults({ ...modern, filters });
    expect(filtered({ min_coverage_percentage: 101 })).toEqual([
      'VALIDATION_ERROR filters.min_coverage_percentage',
    ]);
    expect(filtered({ max_cpm: -1 })).toEqual(['VALIDATION_ERROR filters.max_cpm']);
    expect(filtered({ max_percent: 101 })).toEqual(['VALIDATION_ERROR filters.max_percent']);
    expect(filtered({ max_cpm: 0, max_percent: 0 })).toEqual([]);
  });

  it('an agent without a usable address is refused, with its place', () => {
    const nowhere = { type: 'agent', agent_url: 'nowhere' };
    expect(faults({ ...modern, destinations: [target, nowhere] })).toEqual([
      'VALIDATION_ERROR destinations[1].agent_url',
    ]);
    expect(faults({ ...older, deliver_to: { deployments: [nowhere], countries: ['DE'] } })).toEqual([
      'VALIDATION_ERROR deliver_to.deployments[0].agent_url',
    ]);
  });
});

describe('the maximum number of requested signals', () => {
  it.each([
    ['3.1', undefined],
    ['3.0', undefined],
    ['2.5', 1],
    ['service', 1],
  ] as const)('is replaced in %s by the size of a page, if the form has pages', (form, most) => {
    const paged = { ...older, max_results: 1, pagination: { max_results: 2 } };
    const request = getSignals.readRequest(paged, profile(form), new Map());
    expect(request).toMatchObject({ ok: true, value: { pageSize: 2 } });
    expect(request.ok && request.value.maxResults).toBe(most);
  });

  it('applies in 3.x if no page is requested', () => {
    const request = getSignals.readRequest({ ...modern, max_results: 1 }, profile('3.1'), new Map());
    expect(request).toMatchObject({ ok: true, value: { maxResults: 1 } });
  });
});

describe('a filter of shares', () => {
  it('is sent to sellers of 3.x, and is a finding for those of other forms', () => {
    const requested = { ...modern, filters: { max_percent: 10 } };
    const request = must(getSignals.readRequest(requested, profile('3.1'), new Map()));
    for (const to of forms) {
      const { args, findings } = getSignals.projectRequest(request, profile(to));
      const isThere = to === '3.0' || to === '3.1';
      expect(args['filters']).toEqual(isThere ? { max_percent: 10 } : {});
      expect(findings.map(({ field }) => field)).toEqual(isThere ? [] : ['filters.max_percent']);
    }
  });
});

describe('the prices of a signal', () => {
  it('per mille are read from all of its options, the first before the others', () => {
    const option = (cpm: number) => ({ pricing_option_id: `o${cpm}`, model: 'cpm', cpm, currency: 'USD' });
    const pricing = [
      { pricing_option_id: 'f', model: 'flat_fee', amount: 9, currency: 'USD' },
      option(5),
      option(2),
    ];
    const signals = [pricing, [option(3)], []].map((pricing_options, at) => ({
      signal_agent_segment_id: `s${at}`,
      name: 'Fans',
      deployments: [],
      pricing_options,
    }));
    const read = getSignals.readAnswer({ signals }, { dialect: 'adcp', form: '3.1' });
    const answer = read.ok ? read.value.answer.signals : [];
    expect(answer.map((signal) => [signal.pricing?.cpm, signalCpms(signal)])).toEqual([
      ['5', ['5', '2']],
      ['3', ['3']],
      [undefined, []],
    ]);
  });
});

describe('a signal', () => {
  const whole = { signal_agent_segment_id: 's1', name: 'Fans', deployments: [] };

  it('without an id, a name or a list of deployments is left out and reported, and the others are kept', () => {
    const { signal_agent_segment_id: _id, ...nameless } = { ...whole, name: '' };
    const { deployments: _deployments, ...nowhere } = { ...whole, signal_agent_segment_id: 's3' };
    const withoutName = { ...whole, signal_agent_segment_id: 's2', name: undefined };
    const broken = [nameless, withoutName, nowhere, 'Fans'];
    for (const form of forms) {
      const read = must(getSignals.readAnswer({ signals: [...broken, whole] } as JsonObject, profile(form)));
      expect(read.answer.signals.map(({ segmentId }) => segmentId)).toEqual(['s1']);
      expect(read.setAside.map(({ code, field }) => [code, field])).toEqual([
        ['SIGNAL_SET_ASIDE', undefined],
        ['SIGNAL_SET_ASIDE', 's2'],
        ['SIGNAL_SET_ASIDE', 's3'],
        ['SIGNAL_SET_ASIDE', undefined],
      ]);
    }
  });

  it('belongs to the catalogue that its seller names, under either name of the member', () => {
    const typeOf = (more: JsonObject): unknown => {
      const read = getSignals.readAnswer({ signals: [{ ...whole, ...more }] }, profile('service'));
      return read.ok ? read.value.answer.signals[0]?.catalogType : undefined;
    };
    expect(typeOf({ signal_type: 'custom' })).toBe('custom');
    expect(typeOf({ catalog_type: 'owned' })).toBe('owned');
    expect(typeOf({})).toBe('marketplace');
  });
});

describe('an activation', () => {
  const key = { idempotency_key: '0b1f6f4e-5a55-4b53-9d6c-0f3a6f1d2c3b' };

  it('is read in every form and written in every other', () => {
    for (const from of forms) {
      const isModern = from === '3.0' || from === '3.1';
      const where = isModern ? { destinations: [target], ...key } : { deployments: [target] };
      const request = must(
        activateSignal.readRequest({ signal_agent_segment_id: 's:1', ...where }, profile(from), new Map()),
      );
      expect(activateSignal.projectRequest(request, profile('service')).args).toMatchObject({
        deployments: [target],
      });
      expect(activateSignal.projectRequest(request, profile('3.1')).args).toMatchObject({
        destinations: [target],
      });
    }
  });

  it('is refused if it names two different sets of deployments, or an agent without an address', () => {
    const requested = (places: JsonObject): unknown => {
      const result = activateSignal.readRequest(
        { signal_agent_segment_id: 's', ...places },
        profile('service'),
        new Map(),
      );
      return result.ok ? [] : result.error.map(({ code, field }) => `${code} ${field ?? ''}`);
    };
    expect(requested({ deployments: [target], destinations: [target] })).toEqual([]);
    expect(requested({ deployments: [target], destinations: [agent] })).toEqual([
      'INVALID_REQUEST destinations',
    ]);
    expect(requested({ deployments: [{ type: 'agent', agent_url: 'nowhere' }] })).toEqual([
      'VALIDATION_ERROR deployments[0].agent_url',
    ]);
  });

  it('requests a key in 3.x, and a deployment in every form', () => {
    const result = activateSignal.readRequest({ signal_agent_segment_id: 's' }, profile('3.1'), new Map());
    expect(result.ok ? [] : result.error.map(({ field }) => field)).toEqual([
      'idempotency_key',
      'destinations',
    ]);
  });

  it('has its price and whether it is a deactivation in 3.x, and findings for what an older release cannot express', () => {
    const args = {
      signal_agent_segment_id: 's:1',
      destinations: [target],
      pricing_option_id: 'cpm_usd',
      action: 'deactivate',
      ...key,
    };
    const request = must(activateSignal.readRequest(args, profile('3.1'), new Map()));
    for (const form of ['3.0', '3.1'] as const)
      expect(activateSignal.projectRequest(request, profile(form))).toMatchObject({
        args: { action: 'deactivate', pricing_option_id: 'cpm_usd' },
        findings: [],
      });
    for (const form of ['service', '2.5'] as const) {
      const projected = activateSignal.projectRequest(request, profile(form));
      expect(projected.findings).toMatchObject([
        { code: 'NOT_CARRIED', field: 'pricing_option_id' },
        { code: 'NOT_CARRIED', field: 'action' },
      ]);
      expect(projected.args).not.toHaveProperty('action');
    }
  });

  it('has succeeded with warnings if deployments are beside errors, and shows a key only when live', () => {
    const activationKey = { type: 'segment_id', segment_id: 'x' };
    const payload = {
      deployments: [
        { ...target, activation_key: activationKey, deployed_at: '2027-01-01T00:00:00Z' },
        {
          ...agent,
          is_live: false,
          activation_key: activationKey,
          estimated_activation_duration_minutes: 60,
        },
        { type: 'nowhere' },
      ],
      errors: [{ code: 'SLOW_ACTIVATION', message: 'It takes a day.' }],
    };
    const reading = must(activateSignal.readAnswer(payload, profile('service')));
    expect(reading.answer).toMatchObject({
      deployments: [
        { isLive: true, activationKey: { segmentId: 'x' } },
        { isLive: false, estimatedMinutes: 60 },
      ],
      warnings: [{ code: 'SLOW_ACTIVATION' }],
    });
    expect(reading.answer.deployments[1]).not.toHaveProperty('activationKey');
    expect(reading.setAside).toMatchObject([{ code: 'DEPLOYMENT_SET_ASIDE' }]);
    const service = activateSignal.projectAnswer(reading.answer, profile('service'));
    expect(service).toMatchObject({ errors: [{ code: 'SLOW_ACTIVATION' }] });
    const strict = activateSignal.projectAnswer(reading.answer, profile('3.1'));
    expect(strict).not.toHaveProperty('errors');
    expect(strict).toMatchObject({ ext: { switchyard: { warnings: [{ code: 'SLOW_ACTIVATION' }] } } });
  });
});
