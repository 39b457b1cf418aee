import { refreshBuys } from '@switchyard/buys';
import type { Observation, ReportOutcome } from '@switchyard/ledger';
import { readDeliveryReport, readWebhookEnvelope } from '@switchyard/protocol';
import type { InboxMark, StoredEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import type { HandsParts } from './hands-parts.js';

interface ReadReport {
  readonly event: StoredEvent;
  readonly observation: Observation;
}

/** How long a look at the sellers may take after a buy has ended. */
const refreshMs = 10_000;

/**
 * Takes delivery reports into the ledger, one block for the batch, and marks their events in the same transaction:
 * a crash leaves either both or neither.
 */
export async function applyReports(
  parts: HandsParts,
  scope: TenantScope,
  events: readonly StoredEvent[],
): Promise<number> {
  if (events.length === 0) return 0;
  const now = parts.ports.clock.now();
  const readings = await Promise.all(events.map((event) => readReport(parts, scope, event)));
  const read = readings.filter((reading) => 'observation' in reading);
  const unreadable = readings.filter((reading) => 'state' in reading);
  let left = 0;
  const outcomes = await parts.ledger.applyReports(
    scope,
    read.map((item) => item.observation),
    {
      now,
      alongside: async (client, known) => {
        const marks = [...unreadable, ...known.flatMap((outcome, index) => markOf(read[index], outcome))];
        left = marks.length;
        await parts.inbox.mark(client, marks, now);
      },
    },
  );
  await followEnds(
    parts,
    scope,
    read.filter((_, index) => outcomes[index]?.kind === 'applied'),
  );
  return left;
}

async function readReport(
  parts: HandsParts,
  scope: TenantScope,
  event: StoredEvent,
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
  if ('aggregated_totals' in result) return quarantined('aggregated_totals');
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
    },
  };
}

function markOf(read: ReadReport | undefined, outcome: ReportOutcome): readonly InboxMark[] {
  if (read === undefined) return [];
  const { id } = read.event;
  switch (outcome.kind) {
    case 'applied':
    case 'nothing':
      return [{ id, state: 'applied' }];
    case 'duplicate':
      return [{ id, state: 'stale', reason: 'already_recorded' }];
    case 'quarantined':
      return [{ id, state: 'quarantined', reason: outcome.reasons.map((reason) => reason.code).join(',') }];
    case 'deferred':
      return [];
  }
}

/** A `final` report says that a buy is over: its status is asked for, because no webhook carries that. */
async function followEnds(
  parts: HandsParts,
  scope: TenantScope,
  applied: readonly ReadReport[],
): Promise<void> {
  const ended = applied.filter((item) => item.observation.report.notificationType === 'final');
  for (const { observation } of ended) {
    for (const { mediaBuyId } of observation.report.deliveries) {
      const sellerBuy = await parts.ports.store.sellerBuyOf(scope, observation.connectionId, mediaBuyId);
      const record =
        sellerBuy === undefined ? undefined : await parts.ports.store.mediaBuy(scope, sellerBuy.mediaBuyId);
      if (record === undefined) continue;
      const signal = new AbortController().signal;
      await refreshBuys(parts.ports, { scope, deadlineMs: refreshMs, signal }, [record]);
    }
  }
}
