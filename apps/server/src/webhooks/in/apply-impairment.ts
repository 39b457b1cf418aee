import { withBuyerIds } from '@switchyard/buys';
import { readWebhookEnvelope } from '@switchyard/protocol';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson, type JsonObject } from '@switchyard/values';
import type { EndedBuy } from '../../buys/index.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { messageOf } from './read-report.js';

interface AppliedImpairment {
  readonly mark: InboxMark;
  /** The buy to poll: its real state is in the seller's snapshot, and no schema defines the webhook's contents. */
  readonly endedBuy?: EndedBuy;
}

/** Applies an impairment webhook to the state of its buy, read tolerantly (docs/protocol/media-buys.md#impairments). */
export async function applyImpairment(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
): Promise<AppliedImpairment> {
  const quarantined = (reason: string): AppliedImpairment => ({
    mark: { id: event.id, state: 'quarantined', reason },
  });
  const connection = await deps.ports.connections.byId(scope, event.connectionId);
  const parsed = parseStrictJson(event.body);
  const reading = parsed.ok
    ? readWebhookEnvelope(parsed.value.value, parsed.value.exact, connection?.form)
    : undefined;
  if (reading?.ok !== true) return quarantined('unreadable_envelope');
  const { envelope } = reading.value;
  const result = withBuyerIds(envelope.result ?? {}, event.connectionId);
  const detail = isJsonObject(result['impairment']) ? result['impairment'] : result;
  const impairmentId = textAt(detail, 'impairment_id') ?? envelope.notificationId;
  const sellerMediaBuyId = textAt(result, 'media_buy_id') ?? textAt(detail, 'media_buy_id');
  if (impairmentId === undefined) return quarantined('impairment_without_id');
  if (sellerMediaBuyId === undefined) return quarantined('unknown_buy');
  const sellerBuy = await deps.ports.store.sellerBuyOf(scope, event.connectionId, sellerMediaBuyId);
  if (sellerBuy === undefined) return quarantined('unknown_buy');
  const { media_buy_id: _buy, health, ...core } = detail;
  const isUpdate = await deps.impairments.recordNotified(
    scope,
    {
      sellerBuy,
      impairmentId,
      detail: { ...core, impairment_id: impairmentId },
      isResolved: (health ?? result['health']) === 'ok',
      eventId: event.id,
      message: messageOf(event),
    },
    deps.ports.clock.now(),
  );
  return {
    mark: isUpdate
      ? { id: event.id, state: 'applied' }
      : { id: event.id, state: 'stale', reason: 'already_recorded' },
    endedBuy: { connectionId: event.connectionId, sellerMediaBuyId },
  };
}

function textAt(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  // A longer text, or one with a NUL, is no id that could be found.
  const isId = typeof value === 'string' && value.length <= 255 && !value.includes('\u0000');
  return isId && value !== '' ? value : undefined;
}
