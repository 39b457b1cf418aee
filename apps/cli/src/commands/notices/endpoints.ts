import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface AddOptions extends TargetOptions {
  readonly channel: string;
  readonly at?: string;
  readonly key?: string;
  readonly kind?: readonly string[];
}

/** `endpoints add`, `test`, `pause`, `resume`, `rotate`, `remove`, `deliveries` and `resend`. */
export function registerEndpoints(program: Command, deps: CliDeps): void {
  const endpoints = program
    .command('endpoints')
    .description('systems, chats and alerting services that are told of notices');
  withTarget(endpoints.command('add'))
    .description('add an endpoint; its address and its key are sealed and never shown again')
    .argument('<name>', 'name, unique in the organization')
    .addOption(
      new Option(
        '--channel <channel>',
        'webhook, slack, teams, pagerduty, or that of a loaded connector',
      ).makeOptionMandatory(),
    )
    .option('--at <url>', 'address of the webhook; PagerDuty needs none')
    .option('--key <key>', 'routing key of PagerDuty')
    .option('--kind <kind>', 'only this kind of notices (default: all); may be given several times', several)
    .action(atInstance(deps, add));
  const named = (
    word: string,
    description: string,
    run: (at: At, name: string) => Promise<Outcome>,
  ): void => {
    withTarget(endpoints.command(word))
      .description(description)
      .argument('<endpoint>', 'name or id')
      .action(atInstance(deps, run));
  };
  named('test', 'send a test notice now, and say what came of it', test);
  named('pause', 'send nothing until it is resumed; what waits for it is kept', act('pause'));
  named('resume', 'send again, first what waited for it', act('resume'));
  named('rotate', 'give a webhook a new signing key; the old one is valid for a day more', rotate);
  named('remove', 'remove an endpoint with its secrets and what waits for it', remove);
  withTarget(withPages(endpoints.command('deliveries')))
    .description('list what was sent to an endpoint or waits for it, newest first')
    .argument('<endpoint>', 'name or id')
    .action(atInstance<PageOptions, [string]>(deps, deliveries));
  withTarget(endpoints.command('resend'))
    .description('send a delivery that has ended again, under its id')
    .argument('<endpoint>', 'name or id')
    .argument('<delivery>', 'delivery id')
    .action(atInstance(deps, resend));
}

const pathOf = (name: string): string => `/v1/endpoints/${encodeURIComponent(name)}`;

function add({ instance, options }: At<AddOptions>, name: string): Promise<Outcome> {
  const { channel, at: url, key, kind } = options;
  const body: JsonObject = {
    name,
    channel,
    ...(url !== undefined && { url }),
    ...(key !== undefined && { key }),
    ...(kind !== undefined && { kinds: [...kind] }),
  };
  return shown(instance.post('/v1/endpoints', body), (answer) =>
    [
      `The endpoint ${cell(answer['name'])} is added (${cell(answer['endpoint_id'])}).`,
      ...keyLine(answer),
    ].join('\n'),
  );
}

const keyLine = ({ signing_key: key }: JsonObject): readonly string[] =>
  key === undefined ? [] : [`Its signing key, shown this once: ${cell(key)}`];

function test({ instance }: At, name: string): Promise<Outcome> {
  return shown(instance.post(`${pathOf(name)}/test`, {}), ({ sent, reason }) =>
    sent === true ? 'The test notice was taken.' : `The test notice was not taken: ${cell(reason)}.`,
  );
}

const act =
  (what: 'pause' | 'resume') =>
  ({ instance }: At, name: string): Promise<Outcome> =>
    shown(
      instance.post(`${pathOf(name)}/${what}`, {}),
      (answer) => `The endpoint ${cell(answer['name'])} is ${cell(answer['state'])}.`,
    );

function rotate({ instance }: At, name: string): Promise<Outcome> {
  return shown(instance.post(`${pathOf(name)}/rotate`, {}), (answer) =>
    [...keyLine(answer), `The one before it is valid until ${cell(answer['previous_until'])}.`].join('\n'),
  );
}

function remove({ instance }: At, name: string): Promise<Outcome> {
  return shown(instance.remove(pathOf(name)), (answer) => `Removed the endpoint ${cell(answer['name'])}.`);
}

function deliveries(at: At<PageOptions>, name: string): Promise<Outcome> {
  return listed(at, {
    path: `${pathOf(name)}/deliveries`,
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

function resend({ instance }: At, name: string, delivery: string): Promise<Outcome> {
  return shown(
    instance.post(`${pathOf(name)}/deliveries/${encodeURIComponent(delivery)}/resend`, {}),
    (answer) => `The delivery ${cell(answer['delivery_id'])} will be sent again.`,
  );
}
