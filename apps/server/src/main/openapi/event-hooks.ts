import type { JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { eventOf } from '../../notices/channel-posts.js';
import { kindNames, noticeKinds, type NoticeKindName } from '../../notices/notice-kinds.js';
import { textOf } from '../../notices/notice-text.js';
import { instant } from '../../platform/routes/fields.js';
import { jsonSchemaOf } from './operation.js';

/** The schema of every event; `type` says the kind. */
export const eventName = 'notice_event';

export const eventSchema: JsonObject = jsonSchemaOf(
  z.strictObject({
    specversion: z.literal('1.0'),
    id: z.string().describe('Of the delivery: the same at each attempt, and in the header `webhook-id`.'),
    source: z.string().describe('`/organizations/` and the id of the organization.'),
    type: z.string().describe('`com.switchyard.`, the kind of the notice, and the version of its facts.'),
    subject: z.string().describe('The kind and the id of the object.'),
    time: instant,
    datacontenttype: z.literal('application/json'),
    data: z.strictObject({
      object: z.strictObject({ kind: z.string(), id: z.string() }),
      severity: z.enum(['info', 'warning', 'critical']),
      title: z.string().describe('One line for people. Parts of it may come from a seller.'),
      text: z.string().exactOptional().describe('More, if there is more to say.'),
      link: z.string().describe('The page of the object in the console.'),
      facts: z.looseObject({}).describe('What the texts are made of. Amounts are whole millionths, as text.'),
    }),
  }),
  'output',
);

/** What happened in the example of each kind. */
const examples: Readonly<Record<NoticeKindName, readonly [object: string, id: string, facts: JsonObject]>> = {
  'approval.requested': [
    'approval',
    '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    {
      operation_id: '0b0f5a1e-8f0e-4f0e-9a53-6c1b0f6a7d11',
      task: 'create_media_buy',
      reason: 'The amount is above the limit of 5000.',
      amount_micros: '12000000000',
      currency: 'EUR',
    },
  ],
  'approval.decided': [
    'approval',
    '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    {
      control: 'set_limit',
      subject: 'organization',
      state: 'approved',
      reason: 'Agreed in the weekly call.',
    },
  ],
  'alarm.raised': [
    'alarm',
    '7a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    { alarm: 'capability_drift', subject: 'acme' },
  ],
  'buy.failed': [
    'operation',
    '0b0f5a1e-8f0e-4f0e-9a53-6c1b0f6a7d11',
    { task: 'create_media_buy', status: 'failed' },
  ],
  'seller.failing': ['seller', 'acme', { seller: 'acme', code: 'timeout' }],
  'seller.recovered': ['seller', 'acme', { seller: 'acme' }],
  'credential.refused': ['seller', 'acme', { seller: 'acme', code: 'http_401' }],
  'credential.expiring': ['seller', 'acme', { seller: 'acme', until: '2026-12-05' }],
  'limit.reached': [
    'limit',
    '6b0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    { subject: 'nova.example', committed: '48000', pending: '2000', limit: '50000', currency: 'EUR' },
  ],
  'quota.near': ['quota', 'calls_per_day', { quota: 'calls of the day', most: 50_000, used: 40_012 }],
  'organization.closed': [
    'organization',
    '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    { until: '2026-12-31T09:00:00Z' },
  ],
  'organization.kept': ['organization', '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11', {}],
  'webhook.quarantined': [
    'event',
    '8c0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    { event: 'report', reason: 'The signature is missing.', seller: 'acme' },
  ],
  'webhook.undelivered': [
    'outgoing-event',
    '9d0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    { event: 'task', state: 'expired', reason: 'HTTP 503' },
  ],
  'invoice.held': [
    'invoice',
    '1e0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    { seller: 'acme', number: 'A-2026-11', period: '2026-11', amount_micros: '750000000', currency: 'EUR' },
  ],
  'break.opened': ['period', '2026-11', { seller: 'acme', period: '2026-11' }],
  'month.due': ['period', '2026-10', { period: '2026-10' }],
  'period.closed': ['period', '2026-10', { period: '2026-10' }],
  'period.reopened': ['period', '2026-10', { period: '2026-10' }],
  'endpoint.off': ['endpoint', '4d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11', { name: 'warehouse' }],
  'job.ended': [
    'job',
    '2f0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    { job: 'import_sellers', state: 'succeeded', done: 40, faults: 1 },
  ],
};

const organizationId = '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1';
const deliveryId = '3a1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11';

/** The webhooks that an endpoint of an organization is sent, one for each kind of notice. */
export function eventHooks(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(kindNames.map((kind) => [kind, { post: hookOf(kind) }]));
}

function hookOf(kind: NoticeKindName): JsonObject {
  return {
    operationId: `on_${kind.replaceAll('.', '_')}`,
    tags: ['endpoints'],
    summary: noticeKinds[kind].describe,
    description:
      'Sent to endpoints with the channel `webhook` (`POST /v1/endpoints`), signed as Standard Webhooks 1.0 says, with an event of CloudEvents 1.0. It may arrive twice: drop what has an id that you have.',
    parameters: [
      headerOf('webhook-id', 'The id of the event.'),
      headerOf(
        'webhook-timestamp',
        'When this attempt was signed, in seconds since 1970. Refuse what is older than five minutes.',
      ),
      headerOf(
        'webhook-signature',
        'Signatures `v1,` and base64, with a space between two of them while a key is rotated.',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/cloudevents+json': {
          schema: {
            allOf: [
              { $ref: `#/components/schemas/${eventName}` },
              { type: 'object', properties: { type: { const: `com.switchyard.${kind}.v1` } } },
            ],
          },
          example: exampleOf(kind),
        },
      },
    },
    responses: {
      '2XX': { description: 'It was taken.' },
      '4XX': { description: '400, 410 and 413 end this delivery. After any other status it is tried again.' },
    },
    security: [],
  };
}

const headerOf = (name: string, description: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

function exampleOf(kind: NoticeKindName): JsonObject {
  const [objectKind, objectId, data] = examples[kind];
  const notice = {
    id: deliveryId,
    kind,
    objectKind,
    objectId,
    data,
    dedupeKey: objectId,
    at: Date.parse('2026-11-21T12:30:00Z'),
  };
  const text = textOf(notice);
  return eventOf({
    id: deliveryId,
    notice,
    organizationId,
    text,
    link: `https://agency.example/console${text.path}`,
  });
}
