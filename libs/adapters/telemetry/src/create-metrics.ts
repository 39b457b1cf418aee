import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds. From a warm call on loopback to the longest deadline of a market. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Every published metric. Labels have fixed values: never a tenant, a seller or an id. */
export interface Metrics {
  readonly httpRequests: Counter<'endpoint' | 'status'>;
  readonly httpSeconds: Histogram<'endpoint' | 'status'>;
  readonly operations: Counter<'task' | 'status'>;
  readonly fanoutLegs: Counter<'task' | 'status'>;
  readonly legSeconds: Histogram<'task' | 'protocol'>;
  readonly webhooks: Counter<'outcome'>;
  readonly webhookSeconds: Histogram;
  readonly inboxLagSeconds: Gauge;
  readonly outboxLagSeconds: Gauge;
  readonly inboxEvents: Counter<'outcome'>;
  readonly webhooksOut: Counter<'kind' | 'outcome'>;
  readonly relayRequests: Counter<'outcome'>;
  readonly relaySeconds: Histogram;
  readonly jobs: Gauge<'kind' | 'state'>;
  readonly jobsEnded: Counter<'kind' | 'outcome'>;
  readonly jobSeconds: Histogram<'kind'>;
  readonly approvalsWaitingSeconds: Gauge;
  readonly breaksOpen: Gauge;
  readonly headWaitSeconds: Histogram;
  readonly signIns: Counter<'way' | 'outcome'>;
  readonly dbConnections: Gauge<'state'>;
  readonly spansDropped: Counter;
  readonly jobUnitSeconds: Histogram<'kind'>;
  readonly kmsSeconds: Histogram<'operation'>;
  readonly dbWaitSeconds: Histogram;
  readonly breakers: Gauge<'state'>;
  readonly notices: Counter<'channel' | 'outcome'>;
  readonly ready: Gauge;
  readonly queueErrors: Counter;
  readonly vaultLeases: Counter<'outcome'>;
  readonly ledgerEntries: Counter<'kind'>;
  readonly alarms: Counter<'kind'>;
  readonly refusedSignatures: Counter<'outcome'>;
  readonly modelStatements: Counter<'table'>;
}

export interface MetricsRegistry extends Metrics {
  /** Called before each page is written, to set gauges of the moment. */
  onScrape(read: () => void): void;
  /** The text of `/metrics`. */
  exposition(): Promise<string>;
  readonly contentType: string;
}

/** Makes the metrics in a registry of their own. `processFigures` adds memory, CPU and event loop. */
export function createMetrics(processFigures = true, version = 'unknown'): MetricsRegistry {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name: `switchyard_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name: `switchyard_${name}`, help, labelNames, registers });
  const seconds = <L extends string>(name: string, help: string, ...labelNames: L[]): Histogram<L> =>
    new Histogram({ name: `switchyard_${name}`, help, labelNames, buckets: secondsBuckets, registers });
  if (processFigures) {
    collectDefaultMetrics({ register: registry });
    // Gauges whose names end as those of counters do. The same figures are there by type.
    for (const name of ['handles', 'requests', 'resources'])
      registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
  gauge('build_info', 'Always 1; the labels say what runs.', 'node', 'version').set(
    { node: process.version, version },
    1,
  );
  const scraped: (() => void)[] = [];
  return {
    httpRequests: counter(
      'http_requests_total',
      'HTTP requests answered, by the first part of the path and the class of the status.',
      'endpoint',
      'status',
    ),
    httpSeconds: new Histogram({
      name: 'switchyard_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
      labelNames: ['endpoint', 'status'],
      buckets: secondsBuckets,
      registers,
    }),
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
    webhooksOut: counter(
      'webhooks_out_total',
      'Attempts to deliver a webhook to a buyer, by its kind and outcome.',
      'kind',
      'outcome',
    ),
    relayRequests: counter(
      'relay_requests_total',
      'Sealed requests, by whether they were passed on.',
      'outcome',
    ),
    relaySeconds: seconds(
      'relay_duration_seconds',
      'Time of a sealed request, with the answer of the seller.',
    ),
    jobs: gauge('jobs', 'Jobs that have not ended, by kind and state.', 'kind', 'state'),
    jobSeconds: new Histogram({
      name: 'switchyard_job_duration_seconds',
      help: 'Time from the start of a job to its end, by kind.',
      labelNames: ['kind'],
      buckets: [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
      registers,
    }),
    approvalsWaitingSeconds: gauge(
      'approvals_waiting_seconds',
      'For how long the internal approval has waited that has waited longest.',
    ),
    breaksOpen: gauge('breaks_open', 'Differences of reconciliation that are open.'),
    headWaitSeconds: seconds(
      'ledger_head_wait_seconds',
      "How long a transaction waited for the head of its organization's chain.",
    ),
    jobsEnded: counter('jobs_ended_total', 'Jobs that have ended, by kind and outcome.', 'kind', 'outcome'),
    signIns: counter('sign_ins_total', 'Attempts to sign in, by way and outcome.', 'way', 'outcome'),
    dbConnections: gauge(
      'db_pool_connections',
      'Connections to the database by state, and callers that wait for one.',
      'state',
    ),
    jobUnitSeconds: seconds('job_unit_duration_seconds', 'Time of one unit of a job, by kind.', 'kind'),
    kmsSeconds: seconds('kms_duration_seconds', 'Time of a call of the key service.', 'operation'),
    dbWaitSeconds: seconds(
      'db_wait_seconds',
      'How long a transaction waited for a connection to the database.',
    ),
    breakers: gauge('breakers', 'Sellers whose breaker is not closed in this process, by state.', 'state'),
    notices: counter(
      'notices_total',
      'Attempts to deliver a notice, by channel and what came of it.',
      'channel',
      'outcome',
    ),
    spansDropped: counter('spans_dropped_total', 'Spans of traces that did not reach the collector.'),
    ready: gauge('ready', '1 while the process is ready, as /readyz says.'),
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
    onScrape: (read) => void scraped.push(read),
    exposition: () => {
      for (const read of scraped) read();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
