import { Option, type Command } from 'commander';
import { defined, err, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, finish, shown, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { table } from '../../table.js';
import { withFollow } from '../jobs.js';
import { quotas } from './quotas.js';
import { registerDeletion } from './delete-organization.js';
import { exportOrganization } from './export-organization.js';
import { atInstance, onInstallation, withTarget, type TargetOptions } from '../../target.js';

interface ListOptions extends PageOptions {
  readonly sort?: string;
}

interface ChangeOptions extends TargetOptions {
  readonly name?: string;
  readonly domain?: string;
  readonly timeZone?: string;
  readonly currency?: string;
  readonly reportingCurrency?: string;
  readonly closeUnreconciled?: string;
  readonly fourEyes?: string;
  readonly aboveBudget?: string;
  readonly outsideFlight?: string;
}

/** `organizations add`, `list`, `show`, `set`, `export`, `delete`, `keep`, `deletion`, `quotas` and `prove`. With the data folder, they apply to all organizations. */
export function registerOrganizations(program: Command, deps: CliDeps): void {
  const organizations = program
    .command('organizations')
    .description('organizations, their domains and settings');
  const idHelp = 'organization id (default: own, that of the data folder or of the token)';
  withChange(withTarget(organizations.command('add')))
    .description('create an organization with its first admin; the token is shown once')
    .argument('<name>', 'name')
    .requiredOption('--domain <domain>', 'its domain: the name under which it acts at sellers')
    .action(async (name: string, options: ChangeOptions) =>
      finish(deps, options, await add(deps, { ...options, name })),
    );
  withTarget(withPages(organizations.command('list')))
    .description('list the organizations of this installation')
    .addOption(new Option('--sort <order>', 'order (default: oldest first)').choices(['newest', 'oldest']))
    .action(printing(deps, list));
  withTarget(organizations.command('show'))
    .description('show one, with the challenge that its domain must hold')
    .argument('[id]', idHelp, 'own')
    .action(printing(deps, show));
  withChange(withTarget(organizations.command('set')))
    .description('change an organization; another domain must be proved again')
    .argument('[id]', idHelp, 'own')
    .option('--name <name>', 'name')
    .option('--domain <domain>', 'its own domain')
    .addOption(
      new Option(
        '--close-unreconciled <yes|no>',
        'whether a period can be closed without a reconciliation after its last change',
      ).choices(['yes', 'no']),
    )
    .addOption(
      new Option(
        '--four-eyes <rule>',
        'off: no second person decides; strict: nor may one person be able to act as both (default: known)',
      ).choices(['off', 'known', 'strict']),
    )
    .addOption(
      new Option('--above-budget <rule>', 'a buy above the budget of its campaign (default: ask)').choices(
        reactions,
      ),
    )
    .addOption(
      new Option(
        '--outside-flight <rule>',
        'a buy outside the flight of its campaign (default: ask)',
      ).choices(reactions),
    )
    .action(printing(deps, set));
  withFollow(withTarget(organizations.command('export')))
    .description('write every row of your organization to files of JSON lines, without secrets')
    .requiredOption('--to <folder>', 'an empty or new folder')
    .action(atInstance(deps, exportOrganization));
  registerDeletion(organizations, deps, idHelp);
  withTarget(organizations.command('quotas'))
    .description('show quotas and usage, or set quotas where the data folder is')
    .argument('[id]', idHelp, 'own')
    .option('--set <kind=number>', 'for example calls_per_day=50000, sellers=none; several times', several)
    .action(printing(deps, quotas));
  withTarget(organizations.command('prove'))
    .description('check that the organization controls its domain: brand.json, well-known file or DNS')
    .argument('[id]', idHelp, 'own')
    .action(printing(deps, prove));
}

/** What a buy does that its campaign does not take. */
const reactions = ['warn', 'ask', 'refuse'];

function withChange(command: Command): Command {
  return command
    .option('--time-zone <zone>', 'where its days and months begin, for example Europe/Berlin')
    .option('--currency <code>', 'of its new campaigns and limits, for example EUR')
    .option('--reporting-currency <code>', 'of its reports (default: the same)');
}

function changeOf(options: ChangeOptions): JsonObject {
  const { name, domain, timeZone, currency, reportingCurrency, closeUnreconciled, fourEyes } = options;
  const { aboveBudget, outsideFlight } = options;
  return {
    ...defined({ name, domain, time_zone: timeZone, currency, reporting_currency: reportingCurrency }),
    ...(closeUnreconciled !== undefined && { close_unreconciled: closeUnreconciled === 'yes' }),
    ...defined({ four_eyes: fourEyes, above_budget: aboveBudget, outside_flight: outsideFlight }),
  };
}

function add(deps: CliDeps, options: ChangeOptions): Promise<Outcome> {
  return onInstallation(deps, options, (instance) =>
    shown(instance.post('/v1/organizations', changeOf(options)), (answer) => {
      const admin = answer['admin'] as JsonObject | undefined;
      return [
        linesOf(answer),
        `Admin          ${cell(admin?.['name'])} (${cell(admin?.['principal_id'])})`,
        `Token          ${cell(admin?.['token'])}`,
        `Until          ${cell(admin?.['expires_at'])}`,
        'It is not shown again.',
      ].join('\n');
    }),
  );
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  return onInstallation(deps, options, (instance) =>
    listed(
      { deps, instance, options },
      {
        path: '/v1/organizations',
        name: 'organizations',
        query: { sort: options.sort },
        isAnswer: true,
        columns: {
          Organization: 'organization_id',
          Name: 'name',
          Domain: 'domain',
          'Proved by': (row) => row['domain_proof'] ?? 'not proved',
          Currency: 'currency',
          'Time zone': 'time_zone',
        },
      },
    ),
  );
}

function show(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  return onInstallation(deps, options, (instance) =>
    shown(instance.get(`/v1/organizations/${encodeURIComponent(id)}`), linesOf),
  );
}

function set(deps: CliDeps, id: string, options: ChangeOptions): Promise<Outcome> {
  const change = changeOf(options);
  if (Object.keys(change).length === 0)
    return Promise.resolve(
      err({ message: 'Give at least one of --name, --domain, --time-zone and --currency.' }),
    );
  return onInstallation(deps, options, (instance) =>
    shown(instance.post(`/v1/organizations/${encodeURIComponent(id)}`, change), linesOf),
  );
}

function prove(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  return onInstallation(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/organizations/${encodeURIComponent(id)}/prove`, {});
    if (!answer.ok) return answer;
    const { domain, domain_challenge: challenge, proved } = answer.value;
    const rows = objectsIn(answer.value['checks']).map((check) => [check['by'], check['at'], check['found']]);
    const checks = table(deps, ['By', 'Looked at', 'Found'], rows);
    if (proved === true)
      return ok({ json: answer.value, text: `${checks}\n${cell(domain)} is proved to be its own domain.` });
    const failed = `${cell(domain)} is not proved. One of the three must hold: ${cell(challenge)}`;
    return ok({ json: answer.value, text: checks, failed });
  });
}

function linesOf(row: JsonObject): string {
  const proof = row['domain_proof'];
  const lines = [
    `Organization   ${cell(row['name'])} (${cell(row['organization_id'])})`,
    `Domain         ${cell(row['domain'])}`,
    proof === undefined
      ? `Not proved     the challenge is ${cell(row['domain_challenge'])}`
      : `Proved         by ${cell(proof)}, ${cell(row['domain_proved_at'])}`,
    `Time zone      ${cell(row['time_zone'])}`,
    `Currency       ${cell(row['currency'])}, reports in ${cell(row['reporting_currency'])}`,
    ...(row['close_unreconciled'] === true ? ['Closing        without a reconciliation'] : []),
    `Four eyes      ${cell(row['four_eyes'])}`,
    `Campaigns      above budget ${cell(row['above_budget'])}, outside flight ${cell(row['outside_flight'])}`,
  ];
  return lines.join('\n');
}
