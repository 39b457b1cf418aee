import { describe, expect, it } from '@jest/globals';
import { projectEnvelope } from './answer-envelope.js';
import { dialects } from '../versions/dialect.js';
import { projectCapabilities } from '../entities/capabilities/local-capabilities.js';
import { lostToTool, shapeArgs } from './shape-args.js';
import { findTask, taskNameIn, tasks, taskTable } from '../task-table.js';

const sellers = [
  { seller: 'acme', status: 'slow', reason: 'did not answer in time', elapsed_ms: 9, items: 0 },
] as const;

describe('an answer', () => {
  it('shows its rows of sellers if its form has a member for them', () => {
    const common = { status: 'completed', operationId: 'op', sellers } as const;
    const payload = { products: [], ext: { vendor: 1 } };
    const service = projectEnvelope({ profile: { dialect: 'ads', form: 'service' }, ...common }, payload);
    expect(service).toMatchObject({ status: 'completed', operation_id: 'op', sellers, ext: { vendor: 1 } });
    const modern = projectEnvelope(
      { profile: { dialect: 'adcp', form: '3.1' }, served: '3.1', ...common },
      payload,
    );
    expect(modern).toMatchObject({
      adcp_version: '3.1',
      ext: { vendor: 1, switchyard: { operation_id: 'op', sellers } },
    });
    expect(modern).not.toHaveProperty('sellers');
    const rest = projectEnvelope(
      { profile: { dialect: 'adcp', form: '3.1' }, rest: true, ...common },
      payload,
    );
    expect(rest).toMatchObject({ operation_id: 'op', sellers, ext: { vendor: 1 } });
  });

  it('returns the caller’s context verbatim and lets the payload keep its own status', () => {
    const context = { a: [1, { b: null }], __proto: 'x' };
    const answer = projectEnvelope(
      {
        profile: { dialect: 'ads', form: '3.0' },
        served: '3.0',
        status: 'completed',
        context,
        replayed: true,
      },
      { media_buy_id: 'm', status: 'pending_start', context: { sellers: 'own' } },
    );
    expect(answer).toEqual({
      ads_version: '3.0',
      status: 'pending_start',
      media_buy_id: 'm',
      context,
      replayed: true,
    });
  });

  it('is marked as a repetition if it is one, and is not marked otherwise', () => {
    const marked = (replayed: boolean) =>
      projectEnvelope({ profile: { dialect: 'adcp', form: '3.1' }, status: 'completed', replayed }, {});
    expect(marked(true)).toHaveProperty('replayed', true);
    expect(marked(false)).not.toHaveProperty('replayed');
  });
});

describe('the table of tasks', () => {
  it('finds a task by any of its names, in either dialect', () => {
    expect(findTask('get_adcp_capabilities')).toBe(taskTable.getCapabilities);
    expect(findTask('get_ads_capabilities')).toBe(taskTable.getCapabilities);
    expect(['tasks/get', 'get_task_status', 'get_task'].map(findTask)).toEqual(
      Array(3).fill(taskTable.getTask),
    );
    expect(findTask('drop_tables')).toBeUndefined();
    expect(taskNameIn(taskTable.getCapabilities, 'adcp')).toBe(dialects.adcp.capabilitiesTask);
  });

  it('publishes a complete object schema for each task, with the members that every task accepts', () => {
    for (const spec of tasks) {
      const schema = spec.inputSchema() as { properties: Record<string, unknown> };
      for (const name of [
        'context',
        'context_id',
        'idempotency_key',
        'push_notification_config',
        'governance_context',
      ]) {
        expect(schema.properties).toHaveProperty(name);
      }
    }
  });
});

describe('our capabilities', () => {
  it('are in the dialect of the caller, and are read with the same meaning', () => {
    const own = {
      protocols: ['media_buy', 'signals'],
      publisherDomains: ['news.example'],
      pricingModels: ['cpm'],
      idempotencyTtlSeconds: 86_400,
      requestSigning: { supported: true, requiredFor: ['create_media_buy'] },
      webhookSigning: true,
      reportingByWebhook: true,
      brandJsonUrl: 'https://relay.example/brand.json',
      perPrincipalKeyIsolation: true,
      keyOrigins: { webhook_signing: 'https://relay.example' },
    } as const;
    for (const dialect of ['ads', 'adcp'] as const) {
      for (const form of ['service', '3.0', '3.1'] as const) {
        const document = projectCapabilities(own, { dialect, form });
        expect(document).toHaveProperty(dialect);
        expect(document['identity']).toEqual({
          brand_json_url: 'https://relay.example/brand.json',
          per_principal_key_isolation: true,
          key_origins: { webhook_signing: 'https://relay.example' },
        });
        expect(document).toMatchObject({ webhook_signing: { profile: `${dialect}/webhook-signing/v1` } });
        expect(taskTable.getCapabilities.readAnswer(document, { dialect, form })).toMatchObject({
          ok: true,
          value: {
            answer: {
              supportedVersions: ['3.0', '3.1'],
              protocols: ['media_buy', 'signals'],
              idempotency: { supported: true, replayTtlSeconds: 86_400 },
              publisherDomains: ['news.example'],
              reportingByWebhook: true,
              requestSigning: { supported: true, requiredFor: ['create_media_buy'] },
              webhookSigning: true,
              brandJsonUrl: 'https://relay.example/brand.json',
              keyOrigins: { webhook_signing: 'https://relay.example' },
            },
          },
        });
      }
    }
  });
});

describe('arguments for a seller that declares them', () => {
  it('contain only the arguments that it names', () => {
    const args = { brief: 'x', context: {}, buying_mode: 'brief' };
    expect(shapeArgs(args, ['brief', 'filters'])).toEqual({
      args: { brief: 'x' },
      dropped: ['context', 'buying_mode'],
    });
    expect(shapeArgs(args, [])).toEqual({ args, dropped: [] });
    expect(shapeArgs(args, undefined)).toEqual({ args, dropped: [] });
  });

  it('report each omitted member of the buyer, and not our own', () => {
    const dropped = ['filters', 'adcp_version', 'pagination', 'context', 'idempotency_key', 'canceled'];
    expect(lostToTool(dropped).map(({ code, field }) => [code, field])).toEqual([
      ['NOT_CARRIED', 'filters'],
      ['NOT_CARRIED', 'canceled'],
    ]);
  });
});
