/**
 * Writes the dashboards of Grafana beside this file from the tables below; `--check` compares instead.
 *
 * An expression may use `$__rate_interval`, which Grafana knows.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const rate = (metric, by) => `sum by (${by}) (rate(switchyard_${metric}[$__rate_interval]))`;
const quantile = (q, metric, by = 'le') =>
  `histogram_quantile(${q}, sum by (${by}) (rate(switchyard_${metric}_bucket[$__rate_interval])))`;

/** Each row: title, unit of Grafana, and its expressions by legend. */
const dashboards = {
  'switchyard-operation': [
    'Switchyard: operation',
    [
      ['Ready processes', 'short', { ready: 'sum(switchyard_ready)' }],
      ['Requests', 'reqps', { '{{endpoint}} {{status}}': rate('http_requests_total', 'endpoint, status') }],
      [
        'Time of an answer, 95 %',
        's',
        { '{{endpoint}}': quantile(0.95, 'http_request_duration_seconds', 'endpoint, le') },
      ],
      ['Webhooks in', 'reqps', { '{{outcome}}': rate('webhooks_total', 'outcome') }],
      [
        'Webhooks to buyers',
        'reqps',
        { '{{kind}} {{outcome}}': rate('webhooks_out_total', 'kind, outcome') },
      ],
      [
        'Work that waits longest',
        's',
        { inbox: 'max(switchyard_inbox_lag_seconds)', outbox: 'max(switchyard_outbox_lag_seconds)' },
      ],
      [
        'Connections to the database',
        'short',
        { '{{state}}': 'sum by (state) (switchyard_db_pool_connections)' },
      ],
      ['Wait for a connection, 95 %', 's', { wait: quantile(0.95, 'db_wait_seconds') }],
      [
        'Calls of the key service, 95 %',
        's',
        { '{{operation}}': quantile(0.95, 'kms_duration_seconds', 'operation, le') },
      ],
      ['Units of jobs, 95 %', 's', { '{{kind}}': quantile(0.95, 'job_unit_duration_seconds', 'kind, le') }],
      ['Jobs that ended', 'short', { '{{kind}} {{outcome}}': rate('jobs_ended_total', 'kind, outcome') }],
      [
        'Errors of the queue',
        'short',
        { errors: 'sum(rate(switchyard_queue_errors_total[$__rate_interval]))' },
      ],
      ['Event loop, 99 %', 's', { '{{instance}}': 'max by (instance) (nodejs_eventloop_lag_p99_seconds)' }],
      ['Memory', 'bytes', { '{{instance}}': 'sum by (instance) (process_resident_memory_bytes)' }],
      ['Versions', 'short', { '{{version}} on {{node}}': 'sum by (version, node) (switchyard_build_info)' }],
      [
        'Spans that did not reach the collector',
        'short',
        { dropped: 'sum(rate(switchyard_spans_dropped_total[$__rate_interval]))' },
      ],
    ],
  ],
  'switchyard-business': [
    'Switchyard: questions, buys and sellers',
    [
      ['Tasks', 'reqps', { '{{task}} {{status}}': rate('operations_total', 'task, status') }],
      ['Legs at sellers', 'reqps', { '{{task}} {{status}}': rate('fanout_legs_total', 'task, status') }],
      [
        'Answers of sellers, 95 %',
        's',
        { '{{task}} {{protocol}}': quantile(0.95, 'leg_duration_seconds', 'task, protocol, le') },
      ],
      ['Sellers that are left alone', 'short', { '{{state}}': 'sum by (state) (switchyard_breakers)' }],
      ['Sealed requests', 'reqps', { '{{outcome}}': rate('relay_requests_total', 'outcome') }],
      ['Time of a sealed request, 95 %', 's', { sealed: quantile(0.95, 'relay_duration_seconds') }],
      ['Credentials used', 'reqps', { '{{outcome}}': rate('vault_leases_total', 'outcome') }],
      ['Entries of the ledger', 'short', { '{{kind}}': rate('ledger_entries_total', 'kind') }],
      ['Events applied', 'short', { '{{outcome}}': rate('inbox_events_total', 'outcome') }],
      [
        'Alarms',
        'short',
        { '{{kind}}': 'sum by (kind) (increase(switchyard_alarms_total[$__rate_interval]))' },
      ],
      ['Sign-ins', 'short', { '{{way}} {{outcome}}': rate('sign_ins_total', 'way, outcome') }],
      [
        'Jobs that have not ended',
        'short',
        { '{{kind}} {{state}}': 'max by (kind, state) (switchyard_jobs)' },
      ],
      ['Approval that waits longest', 's', { waits: 'max(switchyard_approvals_waiting_seconds)' }],
      ['Open differences', 'short', { open: 'max(switchyard_breaks_open)' }],
      ['Wait for the head of a ledger, 95 %', 's', { wait: quantile(0.95, 'ledger_head_wait_seconds') }],
      ['Notices', 'short', { '{{channel}} {{outcome}}': rate('notices_total', 'channel, outcome') }],
    ],
  ],
};

const datasource = { type: 'prometheus', uid: '${datasource}' };

function panel([title, unit, targets], at) {
  return {
    id: at + 1,
    type: 'timeseries',
    title,
    datasource,
    gridPos: { h: 8, w: 12, x: (at % 2) * 12, y: Math.floor(at / 2) * 8 },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(targets).map(([legendFormat, expr], number) => ({
      refId: String.fromCodePoint(65 + number),
      datasource,
      expr,
      legendFormat,
    })),
  };
}

const files = Object.entries(dashboards).map(([uid, [title, rows]]) => [
  fileURLToPath(new URL(`./${uid}.json`, import.meta.url)),
  `${JSON.stringify(
    {
      uid,
      title,
      tags: ['switchyard'],
      schemaVersion: 39,
      editable: true,
      time: { from: 'now-6h', to: 'now' },
      refresh: '1m',
      templating: {
        list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }],
      },
      panels: rows.map(panel),
    },
    null,
    2,
  )}\n`,
]);
/** The questions of docker/bi as tables: their titles are the lines above them, and the time of the dashboard their days. */
const questions = readFileSync(new URL('../bi/questions.sql', import.meta.url), 'utf8')
  .split('\n\n')
  .slice(1)
  .map((part) => /^-- (.*)\n([^]*)$/.exec(part.trim()));
const reports = { type: 'grafana-postgresql-datasource', uid: '${datasource}' };
const dayOf = (macro) => `to_char(${macro}::timestamptz, 'YYYY-MM-DD')`;
files.push([
  fileURLToPath(new URL('../bi/grafana.json', import.meta.url)),
  `${JSON.stringify(
    {
      uid: 'switchyard-reports',
      title: 'Switchyard: reports of an organization',
      tags: ['switchyard'],
      schemaVersion: 39,
      editable: true,
      time: { from: 'now-90d', to: 'now' },
      templating: {
        list: [{ name: 'datasource', type: 'datasource', query: reports.type, label: 'PostgreSQL' }],
      },
      panels: questions.map(([, title, sql], at) => ({
        id: at + 1,
        type: 'table',
        title,
        datasource: reports,
        gridPos: { h: 9, w: 12, x: (at % 2) * 12, y: Math.floor(at / 2) * 9 },
        targets: [
          {
            refId: 'A',
            datasource: reports,
            format: 'table',
            rawQuery: true,
            rawSql: sql
              .replaceAll('{{from}}::text', dayOf('$__timeFrom()'))
              .replaceAll('{{to}}::text', dayOf('$__timeTo()')),
          },
        ],
      })),
    },
    null,
    2,
  )}\n`,
]);
if (process.argv.includes('--check')) {
  const stale = files.filter(([path, text]) => readFileSync(path, 'utf8') !== text);
  for (const [path] of stale) console.error(`${path} is not what make-dashboards.mjs writes.`);
  process.exit(stale.length === 0 ? 0 : 1);
}
for (const [path, text] of files) writeFileSync(path, text);
