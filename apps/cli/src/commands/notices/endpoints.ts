import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import type { Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { several } from '../../read-options.js';
import { atInstance, withTarget, type At } from '../../target.js';

/** `endpoints add`, `test`, `pause`, `resume`, `rotate`, `remove`, `deliveries` and `resend`. */
export function registerEndpoints(program: Command, deps: CliDeps): void {
  const endpoints = program
    .command('endpoints')
    .description('systems, chats and alerting services that are told of notices');
  request(endpoints, deps, 'add <name>', {
    describe: 'add an endpoint; its address and its key are sealed and never shown again',
    of: 'name, unique in the organization',
    options: {
      '--channel <channel>': needed('webhook, slack, teams, pagerduty, or that of a loaded connector'),
      '--at <url>': { help: 'address of the webhook; PagerDuty needs none', member: 'url' },
      '--key <key>': 'routing key of PagerDuty',
      '--kind <kind>': {
        help: 'only this kind of notices (default: all); may be given several times',
        member: 'kinds',
        read: several,
      },
    },
    route: 'POST /v1/endpoints',
    text: (answer) =>
      [
        `The endpoint ${cell(answer['name'])} is added (${cell(answer['endpoint_id'])}).`,
        ...keyLine(answer),
      ].join('\n'),
  });
  const of = 'name or id';
  request(endpoints, deps, 'test <endpoint>', {
    describe: 'send a test notice now, and say what came of it',
    of,
    route: 'POST /v1/endpoints/{id}/test',
    text: ({ sent, reason }) =>
      sent === true ? 'The test notice was taken.' : `The test notice was not taken: ${cell(reason)}.`,
  });
  const stateText = ({ name, state }: JsonObject) => `The endpoint ${cell(name)} is ${cell(state)}.`;
  request(endpoints, deps, 'pause <endpoint>', {
    describe: 'send nothing until it is resumed; what waits for it is kept',
    of,
    route: 'POST /v1/endpoints/{id}/pause',
    text: stateText,
  });
  request(endpoints, deps, 'resume <endpoint>', {
    describe: 'send again, first what waited for it',
    of,
    route: 'POST /v1/endpoints/{id}/resume',
    text: stateText,
  });
  request(endpoints, deps, 'rotate <endpoint>', {
    describe: 'give a webhook a new signing key; the old one is valid for a day more',
    of,
    route: 'POST /v1/endpoints/{id}/rotate',
    text: (answer) =>
      [...keyLine(answer), `The one before it is valid until ${cell(answer['previous_until'])}.`].join('\n'),
  });
  request(endpoints, deps, 'remove <endpoint>', {
    describe: 'remove an endpoint with its secrets and what waits for it',
    of,
    route: 'DELETE /v1/endpoints/{id}',
    text: ({ name }) => `Removed the endpoint ${cell(name)}.`,
  });
  withTarget(withPages(endpoints.command('deliveries')))
    .description('list what was sent to an endpoint or waits for it, newest first')
    .argument('<endpoint>', of)
    .action(atInstance<PageOptions, [string]>(deps, deliveries));
  request(endpoints, deps, 'resend <endpoint> <delivery>', {
    describe: 'send a delivery that has ended again, under its id',
    of: [of, 'delivery id'],
    route: 'POST /v1/endpoints/{id}/deliveries/{delivery}/resend',
    text: ({ delivery_id: id }) => `The delivery ${cell(id)} will be sent again.`,
  });
}

const keyLine = ({ signing_key: key }: JsonObject): readonly string[] =>
  key === undefined ? [] : [`Its signing key, shown this once: ${cell(key)}`];

function deliveries(at: At<PageOptions>, name: string): Promise<Outcome> {
  return listed(at, {
    path: `/v1/endpoints/${encodeURIComponent(name)}/deliveries`,
    name: 'deliveries',
    query: {},
    columns: {
      Delivery: 'delivery_id',
      What: 'kind',
      State: 'state',
      Attempts: 'attempts',
      Reason: 'reason',
      At: 'at',
    },
    none: 'Nothing was sent to it.',
  });
}
