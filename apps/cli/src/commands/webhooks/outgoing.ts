import type { Command } from 'commander';
import { err, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { type Outcome, shown } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { table } from '../../table.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface ResendOptions extends TargetOptions {
  readonly since?: string;
}

/** `outgoing list`, `outgoing show ID` and `outgoing resend [ID]`: the webhooks that we send to callers. */
export function registerOutgoing(program: Command, deps: CliDeps): void {
  const outgoing = program.command('outgoing').description('webhooks to callers, and their state');
  withTarget(withPages(outgoing.command('list')))
    .description('list webhooks to callers, newest first')
    .action(atInstance(deps, list));
  request(outgoing, deps, 'show <id>', {
    describe: 'show one with every attempt to send it',
    of: 'event id',
    route: 'GET /v1/outgoing-events/{id}',
    text: (answer) => detail(deps, answer),
  });
  withTarget(outgoing.command('resend'))
    .description('send one again now, with the same bytes and key, or those that failed since a time')
    .argument('[id]', 'event id')
    .option(
      '--since <time>',
      'those that were refused or expired from this date or time on, five hundred at most',
    )
    .action(atInstance(deps, resend));
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/outgoing-events',
    name: 'events',
    columns: {
      Event: 'event_id',
      Made: 'created_at',
      To: 'principal',
      Kind: 'kind',
      State: 'state',
      Attempts: 'attempts',
      Next: 'next_attempt_at',
      Reason: 'reason',
    },
    none: 'No webhook to a caller matches.',
  });
}

function resend({ instance, options: { since } }: At<ResendOptions>, id?: string): Promise<Outcome> {
  if ((id === undefined) === (since === undefined))
    return Promise.resolve(err({ message: 'Name either an event or --since.' }));
  if (since !== undefined)
    return shown(
      instance.post('/v1/outgoing-events/resend', { since }),
      ({ resent, has_more: hasMore }) =>
        `${cell(resent)} sent again now.${hasMore === true ? ' More are left: run the same command again.' : ''}`,
    );
  return shown(
    instance.post(`/v1/outgoing-events/${encodeURIComponent(id ?? '')}/resend`, {}),
    () => `${cell(id ?? '')} is sent again now.`,
  );
}

function detail(deps: CliDeps, event: JsonObject): string {
  const names = ['attempt', 'fired_at', 'status', 'http_status', 'response_time_ms', 'message'];
  const attempts = objectsIn(event['attempts_made']).map((attempt) => names.map((name) => attempt[name]));
  const next =
    event['next_attempt_at'] === undefined ? '' : `, sent next at ${cell(event['next_attempt_at'])}`;
  const lines = [
    `Event ${cell(event['event_id'])}: ${cell(event['kind'])}, ${cell(event['state'])}${next}`,
    `To ${cell(event['principal'] ?? event['principal_id'])} at ${cell(event['url'])}`,
    `Operation ${cell(event['operation_id'])}, key ${cell(event['idempotency_key'])}`,
  ];
  const head = ['Attempt', 'At', 'Result', 'Status', 'Milliseconds', 'Message'];
  return [...lines, '', attempts.length === 0 ? 'It was not sent yet.' : table(deps, head, attempts)].join(
    '\n',
  );
}
