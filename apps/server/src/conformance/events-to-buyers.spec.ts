import { afterAll, describe, expect, it } from '@jest/globals';
import { planReports, writeImpairment, type BuyerRegistration, type ReportFacts } from '@switchyard/events';
import type { Form } from '@switchyard/protocol';
import { messageFaults, publishedSchemas, schemasAreThere } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { Captures } from './testkit/captures.js';

/*
 * What a buyer receives of a media buy without asking, in the form that its address was given in. The frozen body is
 * what goes out; a token that the buyer gave is all that is added as it leaves.
 */
const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const at = Date.UTC(2026, 0, 4);
const start = Date.UTC(2026, 0, 3);
const ids = { id: 'e1', idempotencyKey: '11111111-1111-4111-8111-111111111111' };

const registrationIn = (form: Form, channel: BuyerRegistration['channel']): BuyerRegistration => ({
  id: 'r1',
  organizationId: 'o1',
  principalId: 'p1',
  operationId: 'op-ours',
  mediaBuyId: 'mb_1',
  channel,
  envelope: 'mcp',
  mode: 'signed',
  url: 'https://buyer.example/news',
  buyerOperationId: 'op-theirs',
  profile: { dialect: form === 'service' ? 'ads' : 'adcp', form },
  createdAt: start,
});

function report(form: Form): JsonObject {
  const figure = { start, end: at, impressions: 1_000n, clicks: 7n, seenAt: at };
  const figures = [
    { ...figure, seller: 'acme', packageRef: 'p1', buyerRef: 'one', spendMicros: 10_500_000n },
    { ...figure, seller: 'bravo', packageRef: 'p2', buyerRef: 'two', spendMicros: 2_250_000n },
  ];
  const facts: ReportFacts = {
    registration: registrationIn(form, 'report'),
    taskId: 'task_1',
    context: { trace: 'trace-1' },
    buy: {
      id: 'mb_1',
      buyerRef: 'ref-1',
      status: 'active',
      currency: 'USD',
      startTime: '2026-01-01T00:00:00Z',
      endTime: '2026-02-01T00:00:00Z',
      updatedAt: start,
    },
    isSettled: true,
    sellers: ['acme', 'bravo'].map((seller) => ({ seller, hasEnded: false })),
    figures,
    reportedPeriods: [],
    sequenceNumber: 0,
  };
  const { reports } = planReports(facts, at + 1, () => ids);
  const [drafted] = reports;
  if (drafted === undefined || reports.length > 1) throw new Error('One day is one report.');
  return JSON.parse(drafted.body.toString('utf8')) as JsonObject;
}

function impairment(form: Form): JsonObject {
  const update = {
    mediaBuyId: 'mb_1',
    impairment: {
      id: '22222222-2222-4222-8222-222222222222',
      seller: 'acme',
      detail: {
        impairment_id: 'theirs',
        resource_type: 'audience',
        resource_id: 'aud_1',
        package_ids: ['p1'],
        transition: { from: 'ready', to: 'suspended' },
        reason_code: 'consent_expired',
        observed_at: '2026-01-04T00:00:00Z',
      },
    },
    health: 'impaired' as const,
    taskId: 'task_1',
    taskType: 'create_media_buy',
    context: { trace: 'trace-1' },
    at,
  };
  return JSON.parse(
    writeImpairment(registrationIn(form, 'task'), update, ids).body.toString('utf8'),
  ) as JsonObject;
}

const captures = new Captures('events_to_buyers');
afterAll(() => captures.save());
const schemas = schemasAreThere ? publishedSchemas() : undefined;
if (schemas === undefined) process.stdout.write('8 events were not held: no published schemas are here\n');

/** What a form's schema has against an event; nothing of the `service` form, of which none is published. */
const faultsIn = (form: Form, task: string, body: JsonObject): readonly string[] =>
  schemas === undefined || form === 'service'
    ? []
    : (messageFaults(schemas, { kind: 'webhook', task, form, body }) ?? ['no schema is published of it']);

describe.each([
  { what: 'a delivery report', task: 'media_buy_delivery', write: report },
  { what: 'a notice of an impairment', task: 'create_media_buy', write: impairment },
])('$what', ({ what, task, write }) => {
  it.each(forms)('is received in %s as that form has it, and as it was captured', (form) => {
    const body = write(form);
    expect(faultsIn(form, task, body)).toEqual([]);
    expect(captures.difference(`${what} ${form}`, body)).toBeUndefined();
  });
});
