import { withBuyerIds } from '@switchyard/buys';
import type { MessageEvidence, Observation } from '@switchyard/ledger';
import {
  exactBelow,
  readDeliveryReport,
  readWebhookEnvelope,
  type Form,
  profileOf,
} from '@switchyard/protocol';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson, type JsonObject, type StrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';

export interface ReadReport {
  readonly event: WaitingEvent;
  readonly observation: Observation;
}

/**
 * Reads a delivery report from its event, or answers its fault. A person who admits it overrides irregularities; what
 * cannot be read stays unread.
 */
export async function readReport(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
  admitted?: Observation['admitted'],
): Promise<ReadReport | InboxMark> {
  const quarantined = (reason: string): InboxMark => ({ id: event.id, state: 'quarantined', reason });
  const connection = await deps.ports.connections.byId(scope, event.connectionId);
  const parsed = parseStrictJson(event.body);
  if (connection === undefined || !parsed.ok) return quarantined('unreadable_body');
  const profile = profileOf(connection);
  const reported = enveloped(parsed.value, connection.form) ?? (admitted && bare(parsed.value));
  if (reported === undefined) return quarantined('report_without_result');
  const { timestamp, result, exact } = reported;
  const received = withBuyerIds(result, event.connectionId);
  const report = readDeliveryReport(received, exact, profile);
  if (!report.ok) return quarantined('unreadable_report');
  if (admitted === undefined && 'aggregated_totals' in result) return quarantined('aggregated_totals');
  const reportedAt = Date.parse(timestamp ?? '');
  return {
    event,
    observation: {
      connectionId: event.connectionId,
      source: 'webhook',
      stream: event.registrationId,
      report: report.value.report,
      reportedAt: Number.isNaN(reportedAt) ? event.receivedAt : reportedAt,
      receivedAt: event.receivedAt,
      eventId: event.id,
      message: messageOf(event),
      legId: event.legId,
      ...(admitted === undefined ? {} : { admitted }),
    },
  };
}

/** The evidence of a message that the ledger stores for ever. */
export function messageOf({ bodyHash, sender, registrationMode, keyid }: WaitingEvent): MessageEvidence {
  return {
    sha256: bodyHash,
    sender,
    proof: registrationMode,
    ...(keyid === undefined ? {} : { keyid }),
  };
}

interface ReceivedReport {
  /** In the seller's own text. */
  readonly timestamp: string | undefined;
  readonly result: JsonObject;
  readonly exact: ReadonlyMap<string, string>;
}

function enveloped({ value, exact }: StrictJson, form: Form): ReceivedReport | undefined {
  const reading = readWebhookEnvelope(value, exact, form);
  if (!reading.ok) return undefined;
  const { envelope, resultExact } = reading.value;
  const { timestamp, result } = envelope;
  return result === undefined ? undefined : { timestamp, result, exact: resultExact };
}

/** A report with a broken or missing envelope: read only if a person admits it. */
function bare({ value, exact }: StrictJson): ReceivedReport | undefined {
  if (!isJsonObject(value)) return undefined;
  const { timestamp: time, result } = value;
  const timestamp = typeof time === 'string' ? time : undefined;
  return isJsonObject(result)
    ? { timestamp, result, exact: exactBelow(exact, '/result') }
    : { timestamp, result: value, exact };
}
