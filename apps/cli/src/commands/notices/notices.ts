import type { Command } from 'commander';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { listed, tableOf, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SettingsOptions extends TargetOptions {
  readonly mail?: readonly string[];
  readonly console?: readonly string[];
  readonly digestHour?: string;
  readonly timeZone?: string;
  readonly quiet?: string;
}

/** `notices list`, `read`, `unread` and `settings`. */
export function registerNotices(program: Command, deps: CliDeps): void {
  const notices = program.command('notices').description('what you are told, and what reaches you how');
  withTarget(withPages(notices.command('list')))
    .description('list your notices, newest first')
    .action(atInstance(deps, list));
  withTarget(notices.command('read'))
    .description('mark notices as read; all of yours without an id')
    .argument('[ids...]', 'notice ids')
    .action(atInstance(deps, mark('read')));
  withTarget(notices.command('unread'))
    .description('mark notices as unread again')
    .argument('<ids...>', 'notice ids')
    .action(atInstance(deps, mark('unread')));
  withTarget(notices.command('settings'))
    .description('show or set what reaches you, how and when')
    .option(
      '--mail <rule>',
      'KIND=now, daily, off or usual; KIND * is every other kind; may be given several times',
      several,
    )
    .option('--console <rule>', 'KIND=now, off or usual; may be given several times', several)
    .option('--digest-hour <hour>', 'when the daily mail is sent, 0 to 23')
    .option('--time-zone <zone>', 'for example Europe/Berlin; organization: that of the organization')
    .option('--quiet <times>', 'no mail between these times, for example 22:00-07:00; none: at any time')
    .action(atInstance(deps, settings));
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/notices',
    name: 'notices',
    columns: {
      Notice: 'notice_id',
      At: 'at',
      What: 'title',
      More: 'text',
      State: ({ read_at: readAt }) => (readAt === undefined ? 'unread' : 'read'),
    },
    none: 'There are no notices.',
  });
}

const mark =
  (what: 'read' | 'unread') =>
  ({ instance }: At, ids: readonly string[]): Promise<Outcome> =>
    shown(
      instance.post(`/v1/notices/${what}`, ids.length === 0 ? {} : { notice_ids: [...ids] }),
      ({ changed }) => `Marked as ${what}: ${cell(changed)}.`,
    );

function settings({ deps, instance, options }: At<SettingsOptions>): Promise<Outcome> {
  const body = changeOf(options);
  const answer =
    Object.keys(body).length === 0
      ? instance.get('/v1/notices/settings')
      : instance.post('/v1/notices/settings', body);
  return shown(answer, (found) => textOf(deps, found));
}

function changeOf({ mail, console: shownRules, digestHour, timeZone, quiet }: SettingsOptions): JsonObject {
  const [from = '', to = ''] = quiet?.split('-') ?? [];
  return {
    ...(mail !== undefined && { mail: rulesOf(mail) }),
    ...(shownRules !== undefined && { console: rulesOf(shownRules) }),
    ...(digestHour !== undefined && { digest_hour: Number(digestHour) }),
    ...(timeZone !== undefined && { time_zone: timeZone === 'organization' ? null : timeZone }),
    ...(quiet !== undefined && { quiet: quiet === 'none' ? null : { from, to } }),
  };
}

/** `KIND=MODE`, as members. */
const rulesOf = (rules: readonly string[]): JsonObject =>
  Object.fromEntries(
    rules.map((rule): [string, JsonValue] => {
      const at = rule.lastIndexOf('=');
      return at < 0 ? [rule, ''] : [rule.slice(0, at), rule.slice(at + 1)];
    }),
  );

function textOf(deps: CliDeps, found: JsonObject): string {
  const { email, mail_server: hasServer, quiet, kinds } = found;
  const rows = Array.isArray(kinds) ? kinds.filter(isJsonObject) : [];
  const mail =
    hasServer !== true
      ? 'This installation sends no mail.'
      : email === undefined
        ? 'You have proved no address, so you get no mail.'
        : `Mail goes to ${cell(email)}.`;
  const daily = `The daily mail is sent at ${cell(found['digest_hour'])}:00 (${cell(found['time_zone'])}).`;
  const hours = isJsonObject(quiet) ? ` No mail from ${cell(quiet['from'])} to ${cell(quiet['to'])}.` : '';
  const table = tableOf(deps, { Kind: 'kind', What: 'describe', Console: 'console', Mail: 'mail' }, rows);
  return `${mail} ${daily}${hours}\n${table}`;
}
