import { Option, type Command } from 'commander';
import { defined, err, isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, shown, type Outcome } from '../../outcome.js';
import { tableOf } from '../../pages.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { readSecret } from '../../read-input.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { sellerForm, sellerForms } from '../../read-options.js';

interface EditOptions extends TargetOptions {
  readonly name?: string;
  readonly agentUrl?: string;
  readonly protocol?: string;
  readonly dialect?: string;
  readonly form?: string;
  readonly account?: string | false;
  readonly tokenStdin?: boolean;
  readonly basic?: boolean;
}

/** `sellers show|test|edit|suspend|resume|remove SLUG`. */
export function registerSellerLife(sellers: Command, deps: CliDeps): void {
  const subcommand = (name: string, description: string): Command =>
    withTarget(sellers.command(name)).description(description).argument('<slug>', 'its name here');
  request(sellers, deps, 'show <slug>', {
    describe: 'show one seller, also a removed one, with its credential and live buys',
    of: 'its name here',
    route: 'GET /v1/sellers/{slug}',
    text: (seller, { slug }) => sellerText(slug, seller),
  });
  subcommand('test', 'test the connection to a seller, step by step; changes nothing').action(
    atInstance(deps, test),
  );
  request(sellers, deps, 'scorecard <slug>', {
    describe: 'show how a seller did in the last 30 days, beside the thresholds',
    of: 'its name here',
    route: 'GET /v1/sellers/{slug}/scorecard',
    text: ({ measures }) =>
      tableOf(
        deps,
        {
          Measure: 'measure',
          Value: (row) => row['value'] ?? 'none',
          Threshold: 'threshold',
          State: 'state',
        },
        objectsIn(measures),
      ),
  });
  withTarget(sellers.command('thresholds'))
    .description('show the thresholds of scorecards, or set one for all sellers or for one')
    .option('--measure <measure>', 'the one to set, by its name in the table')
    .option('--at <number>', 'above it a measure is beyond')
    .option('--usual', 'let the wider one hold again')
    .option('--seller <slug>', 'the thresholds of this seller')
    .action(atInstance(deps, thresholds));
  request(sellers, deps, 'accept-changes <slug>', {
    describe: 'accept breaking changes of a seller: new buys ask for no approval any more',
    of: 'its name here',
    options: { '--reason <text>': needed('why it is safe to buy there, for the record') },
    route: 'POST /v1/sellers/{slug}/accept-changes',
    text: (_, { slug }) => `The changes of ${slug} are accepted.`,
  });
  subcommand('edit', 'change a seller, and read its capabilities again')
    .option('--name <name>', 'what it is called')
    .option('--agent-url <url>', 'URL of its agent; another origin needs a new token')
    .option('--protocol <protocol>', 'mcp, a2a or a connector')
    .addOption(new Option('--dialect <dialect>').choices(['ads', 'adcp']))
    .addOption(
      new Option('--form <form>', 'version of the protocol').choices(sellerForms).argParser(sellerForm),
    )
    .option('--account <id>', 'our account at this seller')
    .option('--no-account', 'remove the account')
    .option('--token-stdin', 'read its token from standard input')
    .option('--basic', 'the credential is a name and a password: the token is NAME:PASSWORD')
    .action(printing(deps, edit));
  request(sellers, deps, 'suspend <slug>', {
    describe: 'suspend a seller: it gets no new requests; live buys continue',
    of: 'its name here',
    options: { '--reason <text>': 'the reason, shown in refusals' },
    route: 'POST /v1/sellers/{slug}/suspend',
    text: (seller, { slug }) => `${slug} is suspended. ${buysOf(seller)}`,
  });
  subcommand('resume', 'resume a suspended seller, after a check').action(atInstance(deps, resume));
  request(sellers, deps, 'remove <slug>', {
    describe: 'remove a seller without live buys; its history stays',
    of: 'its name here',
    options: {
      '--drain': 'where something is live: take nothing new, and remove it once the last buy is over',
    },
    route: 'DELETE /v1/sellers/{slug}',
    text: (seller, { slug }) =>
      seller['state'] === 'removed'
        ? `${slug} is removed, and its credentials are revoked.`
        : `${slug} gets no new requests, and is removed after its last buy ends. ${buysOf(seller)}`,
  });
}

const pathOf = (slug: string, act = ''): string => `/v1/sellers/${encodeURIComponent(slug)}${act}`;

function sellerText(slug: string, seller: JsonObject): string {
  const { agent_url: url, protocol, dialect, form, name, credential } = seller;
  return [
    `${slug}: ${cell(name)}, ${stateOf(seller)}`,
    `${cell(protocol)} ${cell(dialect)} ${cell(form)} at ${cell(url)}`,
    buysOf(seller),
    ...driftText(slug, seller['drift']),
    isJsonObject(credential) ? credentialText(credential) : 'It has no credential here.',
  ].join('\n');
}

/** What changed in its capabilities, the newest version first. */
function driftText(slug: string, drift: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(drift)) return [];
  const [newest] = objectsIn(drift['versions']);
  const changes = newest === undefined ? [] : objectsIn(newest['changes']).slice(0, 10);
  return [
    ...(newest === undefined ? [] : [`Its capabilities changed at ${cell(newest['read_at'])}:`]),
    ...changes.map(changeText),
    ...(drift['asks'] === true
      ? [`New buys ask until somebody accepts that: switchyard sellers accept-changes ${cell(slug)}`]
      : []),
  ];
}

const changeText = ({ grade, path, words }: JsonObject): string =>
  `  ${cell(grade)}: ${path === undefined ? '' : `${cell(path)} `}${cell(words)}`;

interface ThresholdOptions extends TargetOptions {
  readonly measure?: string;
  readonly at?: string;
  readonly usual?: true;
  readonly seller?: string;
}

async function thresholds({ deps, instance, options }: At<ThresholdOptions>): Promise<Outcome> {
  const { measure, at, usual, seller } = options;
  if ((measure === undefined) !== (at === undefined && usual === undefined) || (at && usual))
    return err({ message: 'Name a measure with either --at or --usual.' });
  const read =
    measure === undefined
      ? instance.get(
          `/v1/sellers/scorecard/thresholds${seller === undefined ? '' : `?seller=${encodeURIComponent(seller)}`}`,
        )
      : instance.post('/v1/sellers/scorecard/thresholds', {
          measure,
          threshold: at === undefined ? null : Number(at),
          ...defined({ seller }),
        });
  return shown(read, (answer) =>
    tableOf(
      deps,
      { Measure: 'measure', Threshold: 'threshold', Usual: 'usual' },
      objectsIn(answer['thresholds']),
    ),
  );
}

function credentialText({
  credential_id: id,
  version,
  last_used_at: used,
  last_error: error,
}: JsonObject): string {
  const last = used === undefined ? '' : `, last used ${cell(used)}`;
  const refused = isJsonObject(error) ? `; refused with ${cell(error['code'])} at ${cell(error['at'])}` : '';
  return `Credential ${cell(id)}, version ${cell(version)}${last}${refused}.`;
}

async function test({ deps, instance }: At, slug: string): Promise<Outcome> {
  const answer = await instance.post(pathOf(slug, '/test'), {});
  if (!answer.ok) return answer;
  const steps = objectsIn(answer.value['steps']);
  const rows = steps.map(({ step, result, reason }) => [step, cell(result).replace('_', ' '), reason]);
  const open = objectsIn(answer.value['checks'])
    .filter(({ state }) => state !== 'passed' && state !== 'skipped')
    .map(({ key, state, words }) => [key, cell(state).replace('_', ' '), words]);
  const drift = objectsIn(answer.value['drift']).map(changeText);
  const text = [table(deps, ['Step', 'Result', 'Reason'], [...rows, ...open]), ...drift].join('\n');
  if (answer.value['ok'] === true) return ok({ json: answer.value, text });
  return ok({ json: answer.value, text, failed: `${cell(slug)} cannot be used as it is.` });
}

async function edit(deps: CliDeps, slug: string, options: EditOptions): Promise<Outcome> {
  const token = options.tokenStdin === true ? await readSecret(deps) : ok(undefined);
  if (!token.ok) return token;
  const { name, agentUrl, protocol, dialect, form, account } = options;
  const body = defined({
    name,
    agent_url: agentUrl,
    protocol,
    dialect,
    form,
    account: account === false ? null : account,
    token: token.value,
    token_scheme: options.basic === true ? 'basic' : undefined,
  });
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(pathOf(slug, '/edit'), body);
    if (!answer.ok) return answer;
    return judged(slug, answer.value);
  });
}

async function resume({ instance }: At, slug: string): Promise<Outcome> {
  const answer = await instance.post(pathOf(slug, '/resume'), {});
  return answer.ok ? judged(slug, answer.value) : answer;
}

/** A seller that is not live after the check is a failure. */
function judged(slug: string, seller: JsonObject): Outcome {
  if (seller['state'] === 'live') return ok({ json: seller, text: `${cell(slug)} is live.` });
  const failed = `${cell(slug)} is not live: ${cell(seller['reason']) || cell(seller['state'])}`;
  return ok({ json: seller, text: '', failed });
}

function stateOf({ state, reason, draining }: JsonObject): string {
  const why = reason === undefined ? '' : ` (${cell(reason)})`;
  return `${draining === true ? 'draining' : cell(state)}${why}`;
}

function buysOf({ live_buys: buys }: JsonObject): string {
  const { count = 0, media_buy_ids: ids } = isJsonObject(buys) ? buys : {};
  if (count === 0) return 'It has no live media buys.';
  const named = Array.isArray(ids) ? ids.map(cell).join(', ') : '';
  return `${cell(count)} live there: ${named}`;
}
