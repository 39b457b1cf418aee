import type { Observation } from '@switchyard/ledger';
import { readDeliveryReport, readWebhookEnvelope } from '@switchyard/protocol';
import type { InboxMark, StoredEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import type { HandsParts } from './hands-parts.js';

export interface ReadReport {
  readonly event: StoredEvent;
  readonly observation: Observation;
}

/**
 * Reads a delivery report out of its event, or says what is wrong with it. A person who admits it answers for what
 * is merely irregular; what cannot be read stays unread.
 */
export async function readReport(
  parts: HandsParts,
  scope: TenantScope,
  event: StoredEvent,
  admitted?: Observation['admitted'],
): Promise<ReadReport | InboxMark> {
  const quarantined = (reason: string): InboxMark => ({ id: event.id, state: 'quarantined', reason });
  const connection = await parts.ports.connections.byId(scope, event.connectionId);
  const parsed = parseStrictJson(event.body);
  if (connection === undefined || !parsed.ok) return quarantined('unreadable_body');
  const voice = { dialect: connection.dialect, form: connection.form };
  const envelope = readWebhookEnvelope(parsed.value.value, parsed.value.exact, connection.form);
  if (!envelope.ok || !isJsonObject(envelope.value.envelope.result))
    return quarantined('report_without_result');
  const { timestamp, result } = envelope.value.envelope;
  const report = readDeliveryReport(result, envelope.value.resultExact, voice);
  if (!report.ok) return quarantined('unreadable_report');
  if (admitted === undefined && 'aggregated_totals' in result) return quarantined('aggregated_totals');
  const reportedAt = Date.parse(timestamp);
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
      legId: event.legId,
      ...(admitted === undefined ? {} : { admitted }),
    },
  };
}
