import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds. From a warm call on loopback to the longest deadline of a market. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Every published metric. Labels have fixed values: never a tenant, a seller or an id. */
export interface Metrics {
  readonly httpRequests: Counter<'endpoint' | 'status'>;
  readonly operations: Counter<'task' | 'status'>;
  readonly fanoutLegs: Counter<'task' | 'status'>;
  readonly legSeconds: Histogram<'task' | 'protocol'>;
  readonly webhooks: Counter<'outcome'>;
  readonly webhookSeconds: Histogram;
  readonly inboxLagSeconds: Gauge;
  readonly outboxLagSeconds: Gauge;
  readonly inboxEvents: Counter<'outcome'>;
  readonly queueErrors: Counter;
  readonly vaultLeases: Counter<'outcome'>;
  readonly ledgerEntries: Counter<'kind'>;
  readonly alarms: Counter<'kind'>;
  readonly refusedSignatures: Counter<'outcome'>;
  readonly modelStatements: Counter<'table'>;
}

export interface MetricsRegistry extends Metrics {
  /** The text of `/metrics`. */
  exposition(): Promise<string>;
  readonly contentType: string;
}

/** Makes the metrics in a registry of their own. `processFigures` adds memory, CPU and event loop. */
export function createMetrics(processFigures = true): MetricsRegistry {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name: `switchyard_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name: `switchyard_${name}`, help, labelNames, registers });
  const seconds = <L extends string>(name: string, help: string, ...labelNames: L[]): Histogram<L> =>
    new Histogram({ name: `switchyard_${name}`, help, labelNames, buckets: secondsBuckets, registers });
  if (processFigures) collectDefaultMetrics({ register: registry });
  return {
    httpRequests: counter(
      'http_requests_total',
      'HTTP requests answered, by the first part of the path and the class of the status.',
      'endpoint',
      'status',
    ),
    operations: counter('operations_total', 'Operations, by task and status answered.', 'task', 'status'),
    fanoutLegs: counter('fanout_legs_total', 'Legs, by task and how they settled.', 'task', 'status'),
    legSeconds: seconds('leg_duration_seconds', "Time of one seller's answer.", 'task', 'protocol'),
    webhooks: counter('webhooks_total', 'Webhooks received, by what became of them.', 'outcome'),
    webhookSeconds: seconds('webhook_accept_duration_seconds', 'Time from the last byte to the answer.'),
    inboxLagSeconds: gauge('inbox_lag_seconds', 'Age of the oldest event that is not applied.'),
    outboxLagSeconds: gauge(
      'outbox_lag_seconds',
      'For how long the webhook to a buyer that is due longest has been due.',
    ),
    inboxEvents: counter('inbox_events_total', 'Events taken from the inbox, by outcome.', 'outcome'),
    queueErrors: counter('queue_errors_total', 'Lost connections and failed handlers of the queue.'),
    vaultLeases: counter('vault_leases_total', 'Credential leases, by outcome.', 'outcome'),
    ledgerEntries: counter('ledger_entries_total', 'Entries written to the ledger, by kind.', 'kind'),
    alarms: counter('alarms_total', 'Alarms raised, by kind.', 'kind'),
    refusedSignatures: counter(
      'refused_signatures_total',
      'Signed messages refused, by whether the verdict was kept.',
      'outcome',
    ),
    modelStatements: counter(
      'model_statements_total',
      "Statements of Prisma's client, by table. What each request and event passes sends none.",
      'table',
    ),
    exposition: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
