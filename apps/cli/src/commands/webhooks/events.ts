import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { queryOf } from '../../query-of.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { downloadOrJob, withJob, type JobOptions } from '../jobs.js';
import { listed, withPages, type PageOptions } from '../../pages.js';

interface ExportOptions extends TargetOptions {
  readonly since?: string;
  readonly until?: string;
}

/** `events list`, `events show ID`, `events export`, `events admit ID` and `events dismiss ID`. */
export function registerEvents(program: Command, deps: CliDeps): void {
  const events = program.command('events').description('webhooks received, and their state');
  withTarget(withPages(events.command('list')))
    .description('list webhooks, newest first')
    .action(atInstance(deps, list));
  request(events, deps, 'show <id>', {
    describe: 'show one webhook and how it was verified, step by step',
    of: 'event id',
    options: { '--raw': 'with its headers and bytes' },
    route: 'GET /v1/events/{id}',
    text: (answer) => detail(deps, answer),
  });
  request(events, deps, 'preview <id>', {
    describe: 'show what a quarantined delivery report would change if it were admitted',
    of: 'event id',
    route: 'GET /v1/events/{id}/effect',
    text: (answer) => effectText(deps, answer),
  });
  withJob(withTarget(events.command('export')))
    .description('print all messages with their bytes, oldest first, for ledger verify --messages')
    .option('--since <time>', 'received at this time or later: a date, or a time with its offset')
    .option('--until <time>', 'received before this time')
    .action(atInstance(deps, exported));
  const decided = {
    of: 'event id',
    options: { '--reason <text>': needed('the reason, stored with the event') },
    text: ({ state }: JsonObject, { id }: { readonly id: string }) => `Event ${id} is ${cell(state)} now.`,
  };
  request(events, deps, 'admit <id>', {
    describe: 'apply a quarantined webhook',
    route: 'POST /v1/events/{id}/admit',
    ...decided,
  });
  request(events, deps, 'dismiss <id>', {
    describe: 'dismiss a quarantined webhook, without effect',
    route: 'POST /v1/events/{id}/dismiss',
    ...decided,
  });
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/events',
    name: 'events',
    query: { counts: 'no' },
    columns: {
      Event: 'event_id',
      Received: 'received_at',
      Seller: 'seller',
      Kind: 'kind',
      State: 'state',
      Reason: 'reason',
      Copies: 'copies',
    },
    none: 'No webhook matches.',
  });
}

function effectText(deps: CliDeps, answer: JsonObject): string {
  const problems = Array.isArray(answer['problems']) ? answer['problems'].map(cell) : [];
  const changes = objectsIn(answer['changes']).map((change) => {
    const [now, then] = [change['now'], change['in_report']].map(
      (one) => objectsIn(one === undefined ? [] : [one])[0],
    );
    return [
      change['period_start'],
      change['package_id'],
      now?.['spend'],
      then?.['spend'],
      change['currency'],
    ];
  });
  const books = objectsIn(answer['books']).map((row) => [
    row['month'],
    row['media_buy_id'],
    row['before'],
    row['after'],
    row['currency'],
  ]);
  return [
    `Outcome: ${cell(answer['outcome'])}`,
    ...problems,
    ...(changes.length === 0
      ? []
      : ['', table(deps, ['From', 'Line', 'Now', 'In this report', 'Currency'], changes)]),
    ...(books.length === 0 ? [] : ['', table(deps, ['Month', 'Buy', 'Booked', 'Then', 'Currency'], books)]),
  ].join('\n');
}

function exported(at: At<ExportOptions & JobOptions>): Promise<Outcome> {
  const { since, until } = at.options;
  return downloadOrJob(at, `/v1/events/export${queryOf({ since, until })}`);
}

function detail(deps: CliDeps, event: JsonObject): string {
  const because = event['reason'] === undefined ? '' : ` (${cell(event['reason'])})`;
  const steps = objectsIn(event['steps']).map((step) => [
    step['step'],
    step['name'],
    step['ok'] === true ? 'ok' : 'failed',
    step['seen'],
  ]);
  const copies = objectsIn(event['duplicates']).map((copy) => [
    copy['last_seen_at'],
    copy['copies'],
    copy['is_same_body'] === true ? 'the same' : 'changed',
    copy['body_sha256'],
  ]);
  return [
    `Event ${cell(event['event_id'])}: ${cell(event['state'])}${because}, ${cell(event['kind'])} from ${cell(event['seller'])}`,
    ...(event['explanation'] === undefined ? [] : [cell(event['explanation'])]),
    `Sender ${cell(event['sender'])}, key ${cell(event['keyid']) || 'unknown'}, received ${cell(event['received_at'])}`,
    `Operation ${cell(event['operation_id']) || 'unknown'}, body SHA-256 ${cell(event['body_sha256'])}`,
    ...decisionLines(event['decision'] as JsonObject | undefined),
    '',
    steps.length === 0
      ? 'No verdict is stored for it.'
      : table(deps, ['Step', 'Check', 'Verdict', 'Seen'], steps),
    ...(copies.length === 0 ? [] : ['', table(deps, ['Last copy', 'Copies', 'Body', 'SHA-256'], copies)]),
    ...rawLines(event['raw'] as JsonObject | undefined),
  ].join('\n');
}

function decisionLines(decision: JsonObject | undefined): readonly string[] {
  if (decision === undefined) return [];
  const { decision: what, by, decided_at: when, reason, was } = decision;
  return [
    `${cell(what)} by ${cell(by)} at ${cell(when)}: ${cell(reason)} (it had been ${cell(was) || 'put aside'})`,
  ];
}

function rawLines(raw: JsonObject | undefined): readonly string[] {
  if (raw === undefined) return [];
  const headers = Array.isArray(raw['headers']) ? raw['headers'] : [];
  return [
    '',
    `${cell(raw['method'])} ${cell(raw['url'])}`,
    ...headers.map((pair) => (Array.isArray(pair) ? `${cell(pair[0])}: ${cell(pair[1])}` : '')),
    '',
    cell(raw['body_text'] ?? raw['body_base64']),
  ];
}
