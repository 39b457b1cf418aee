import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@switchyard/values';
import fc from 'fast-check';
import { credentialInArgs } from './credentials/credential-scan.js';
import { readDeliveryReport } from './entities/delivery/read-delivery-report.js';
import { readWebhookEnvelope } from './message/envelope.js';
import { readErrors } from './errors/read-errors.js';
import { readReply } from './message/reply.js';
import { sellerFormOf } from './versions/seller-form.js';
import { tasks } from './task-table.js';
import { readWireProfile } from './versions/version.js';
import type { Dialect, Form, WireProfile } from './versions/wire-profile.js';

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const profiles: readonly WireProfile[] = forms.flatMap((form) =>
  (['ads', 'adcp'] satisfies Dialect[]).map((dialect) => ({ dialect, form })),
);
const exact = new Map<string, string>();

/** Names that readers use, so that odd values are read. */
const names = fc.constantFrom(
  ...'products signals formats media_buys media_buy_deliveries deployments packages pricing_options brand'.split(
    ' ',
  ),
  ...'brand_manifest account start_time end_time budget status task_id errors adcp_error error result'.split(
    ' ',
  ),
  ...'reporting_period by_package totals spend context ext push_notification_config reporting_webhook'.split(
    ' ',
  ),
  ...'media_buy_id package_id product_id name pricing_option_id pricing_model currency price fixed_price'.split(
    ' ',
  ),
  ...'idempotency_key adcp ads adcp_version adcp_major_version ads_version supported_versions filters'.split(
    ' ',
  ),
  ...'deliver_to destinations countries signal_spec media_buy_ids status_filter start_date end_date'.split(
    ' ',
  ),
  ...'media_buy delivery timestamp task_type notification_type type url operator domain __proto__'.split(' '),
);
const leaf = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('asap', 'completed', 'submitted', 'pending', 'platform', '2027-01-01T00:00:00Z', '3.1', 3),
);
const { tree } = fc.letrec<{ tree: JsonValue; object: JsonObject; list: JsonValue[] }>((tie) => ({
  tree: fc.oneof({ maxDepth: 5, depthIdentifier: 'json' }, leaf, tie('object'), tie('list')),
  object: fc.dictionary(names, tie('tree'), { maxKeys: 8 }),
  list: fc.array(tie('tree'), { maxLength: 3 }),
}));
const messages: fc.Arbitrary<JsonObject> = fc.dictionary(names, tree, { maxKeys: 10 });

describe('any input of a stranger', () => {
  it('gets from every task a request or errors with a code, and never an exception', () => {
    fc.assert(
      fc.property(messages, (args) => {
        for (const spec of tasks) {
          for (const profile of profiles) {
            const request = spec.readRequest(args, profile, exact);
            if (request.ok) {
              for (const to of profiles) spec.projectRequest(request.value, to);
            } else {
              expect(request.error.length).toBeGreaterThan(0);
              for (const { code, message } of request.error)
                expect(code.length * message.length).toBeGreaterThan(0);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is read or refused as an answer, and what was read has every form', () => {
    fc.assert(
      fc.property(messages, (payload) => {
        for (const spec of tasks) {
          for (const from of profiles) {
            const answer = spec.readAnswer(payload, from, exact);
            if (!answer.ok) expect(answer.error.length).toBeGreaterThan(0);
            else for (const to of profiles) JSON.stringify(spec.projectAnswer(answer.value.answer, to));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is checked as reply, webhook, report, version, capabilities and credential without an exception', () => {
    fc.assert(
      fc.property(messages, fc.boolean(), (message, isError) => {
        for (const profile of profiles) {
          for (const spec of tasks) {
            const reply = readReply(spec.name, message, isError, { state: 'TASK_STATE_FAILED' });
            if (reply.status === 'failed') expect(reply.errors.length).toBeGreaterThan(0);
          }
          readWebhookEnvelope(message, exact, profile.form);
          readDeliveryReport(message, exact, profile);
        }
        readErrors(message);
        readWireProfile({ taskName: 'create_media_buy', args: message });
        sellerFormOf(message, 'auto', 'adcp');
        credentialInArgs('create_media_buy', message);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps unknown members in place between peers of one form', () => {
    for (const form of forms) {
      const profile: WireProfile = { dialect: 'ads', form };
      const product = {
        product_id: 'p',
        name: 'n',
        future_member: { deep: [1, { x: 2 }] },
        pricing_options: [{ pricing_option_id: 'o', pricing_model: 'cpm', currency: 'USD', new_thing: 7 }],
      };
      const spec = tasks.find(({ name }) => name === 'get_products');
      const answer = spec?.readAnswer({ products: [product] }, profile, exact);
      if (answer?.ok !== true) throw new Error('the product should have been read');
      expect(spec?.projectAnswer(answer.value.answer, profile)).toMatchObject({ products: [product] });
    }
  });
});
