import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import fc from 'fast-check';
import { readWebhookEnvelope, writeWebhookEnvelope, type WebhookEnvelope } from '../message/envelope.js';
import { taskTable, taskNameIn } from '../task-table.js';
import type { Form } from '../versions/wire-profile.js';
import { moment, opaque, shape, word } from './testkit/arbitrary.js';
import { answersOf } from './testkit/answers.js';

/* A webhook arrives with its content: the envelope in every form, and the task's answer in it. */

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const sent = (payload: unknown): JsonObject => JSON.parse(JSON.stringify(payload)) as JsonObject;
const rows = Object.keys(taskTable) as (keyof typeof taskTable)[];

const envelope = shape<WebhookEnvelope>(
  {
    taskId: word,
    taskType: fc.constantFrom(...rows.map((row) => taskNameIn(taskTable[row], 'adcp'))),
    status: fc.constantFrom(
      ...(['submitted', 'working', 'input-required', 'completed', 'failed', 'canceled', 'rejected'] as const),
    ),
    timestamp: moment,
  },
  {
    idempotencyKey: fc.uuid(),
    operationId: word,
    notificationId: word,
    protocol: fc.constantFrom('media-buy', 'signals'),
    contextId: word,
    message: word,
    token: word,
    context: opaque,
    result: opaque,
  },
).map((one) => ({ ...one, idempotencyKey: one.idempotencyKey ?? 'a-key-of-ours-000000' }));

describe.each(forms)('a webhook in the %s form', (form) => {
  it('arrives with every member of its envelope', () => {
    fc.assert(
      fc.property(envelope, (received) => {
        const read = readWebhookEnvelope(
          sent(writeWebhookEnvelope(received, { dialect: 'adcp', form })),
          new Map(),
          form,
        );
        expect(read.ok && read.value.envelope).toEqual(received);
      }),
    );
  });

  it.each(rows)('contains the answer of %s in that form', (row) => {
    const spec: (typeof taskTable)[keyof typeof taskTable] = taskTable[row];
    const profile = { dialect: 'adcp', form } as const;
    fc.assert(
      fc.property(envelope, answersOf(row), (received, answer) => {
        const result = sent(
          (spec.projectAnswer as (answer: object, to: typeof profile) => JsonObject)(answer, profile),
        );
        const body = sent(writeWebhookEnvelope({ ...received, result }, profile));
        const read = readWebhookEnvelope(body, new Map(), form);
        expect(read.ok && read.value.envelope.result).toEqual(result);
      }),
      { numRuns: 20 },
    );
  });
});

const { getMediaBuyDelivery: delivery } = taskTable;

describe('a pushed delivery report', () => {
  it.each(forms)('has its kind, its number and its rows in the %s form', (form) => {
    const profile = { dialect: 'adcp', form } as const;
    fc.assert(
      fc.property(answersOf('getMediaBuyDelivery'), (generated) => {
        const report = { ...generated, notificationType: 'scheduled', sequenceNumber: 7 };
        const body = sent(
          delivery.projectAnswer(report as Parameters<typeof delivery.projectAnswer>[0], profile),
        );
        // Totals over rows exist in pulled answers only.
        expect(body).not.toHaveProperty('aggregated_totals');
        const read = delivery.readAnswer(body, profile);
        expect(read.ok && read.value.answer).toMatchObject({
          notificationType: 'scheduled',
          sequenceNumber: 7,
        });
        const rowsOf = (one: object): unknown[] =>
          (one as { deliveries: { mediaBuyId: string; byPackage: { spend: string }[] }[] }).deliveries.map(
            ({ mediaBuyId, byPackage }) => [mediaBuyId, byPackage.map(({ spend }) => spend)],
          );
        expect(read.ok && rowsOf(read.value.answer)).toEqual(rowsOf(report));
      }),
    );
  });
});
