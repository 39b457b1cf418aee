import type { Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome } from '../../outcome.js';
import { listed, tableOf, withPages, type Columns, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { readSecret } from '../../read-input.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SellerOptions extends TargetOptions {
  readonly seller: string;
}

const terms = ['net_15', 'net_30', 'net_45', 'net_60', 'net_90', 'prepay'];

interface LoginOptions extends SellerOptions {
  readonly client: string;
  readonly basic?: true;
  readonly oauth?: true;
  readonly clientId?: string;
  readonly issuer?: string;
}

/** `accounts sync|use|release|declare|login|logout|logins --seller SLUG`: our accounts at a seller, and who buys in which. */
export function registerSellerAccounts(accounts: Command, deps: CliDeps): void {
  const seller = { '--seller <slug>': needed('the seller', 'slug') };
  const client = { ...seller, '--client <id>': needed('id of the client') };
  request(accounts, deps, 'sync', {
    describe: 'ask a seller for our accounts there now',
    options: seller,
    route: 'POST /v1/sellers/{slug}/accounts/sync',
    text: (answer) => syncedText(deps, answer),
  });
  request(accounts, deps, 'use', {
    describe: 'let the brands of a client buy in an account at a seller',
    options: { ...client, '--account <id>': needed("the seller's id of the account", 'account_id') },
    route: 'POST /v1/sellers/{slug}/accounts/use',
    text: (_, { account, seller: at }) => `The client buys in the account ${account} at ${at} from now on.`,
  });
  request(accounts, deps, 'release', {
    describe: 'take the account at a seller from a client; running buys stay in it',
    options: client,
    route: 'POST /v1/sellers/{slug}/accounts/release',
    text: (_, { seller: at }) => `The client has no account of its own at ${at} any more.`,
  });
  withTarget(accounts.command('login'))
    .description('give a client a login of its own; its secret comes from standard input')
    .requiredOption('--seller <slug>', 'the seller')
    .requiredOption('--client <id>', 'id of the client')
    .option('--basic', 'the secret is user:password (default: a token)')
    .option('--oauth', 'sign in at its authorization server: the answer has authorize_url')
    .option(
      '--client-id <id>',
      'our client at its authorization server; its secret comes from standard input',
    )
    .option('--issuer <url>', 'the issuer of its tokens that you trust')
    .action(printing(deps, login));
  request(accounts, deps, 'logout', {
    describe: 'take its own login from a client, and revoke the secret',
    options: client,
    route: 'POST /v1/sellers/{slug}/logins/end',
    text: (_, { seller: at }) =>
      `The client has no login of its own at ${at} any more, and the secret is revoked.`,
  });
  request(accounts, deps, 'declare', {
    describe: 'ask a seller what it would do with an account for a brand; another person sends it',
    options: {
      ...seller,
      '--brand <domain>': needed('the domain of the brand', 'brand_domain'),
      '--brand-id <id>': 'which brand of the domain',
      '--operator <domain>': 'who operates it (default: the domain of the organization)',
      '--billing <who>': {
        ...{ help: 'who is billed', isNeeded: true, words: ['operator', 'agent', 'advertiser'] },
      },
      '--payment-terms <terms>': { help: 'terms of payment', words: terms },
      '--sandbox': 'an account for practice',
      '--client <id>': 'declare it with the own login of this client',
    },
    route: 'POST /v1/sellers/{slug}/accounts/declare',
    text: ({ declaration_id: id, preview }, { seller: at }) =>
      [
        `${at} would answer: ${answerOf(preview)}`,
        ...(isJsonObject(preview) && preview['is_trial'] !== true
          ? ['It did not say that this was a trial: look whether it has stored the account.']
          : []),
        `Another person sends it: switchyard accounts approve ${cell(id)}`,
      ].join('\n'),
  });
  request(accounts, deps, 'approve <id>', {
    describe: 'declare an account at its seller that another person has prepared',
    of: 'id of the declaration',
    route: 'POST /v1/declarations/{id}/approve',
    text: ({ seller: at, outcome }) => `${cell(at)} has answered: ${answerOf(outcome)}`,
  });
  request(accounts, deps, 'withdraw <id>', {
    describe: 'take a declaration back that nobody has approved',
    of: 'id of the declaration',
    route: 'POST /v1/declarations/{id}/withdraw',
    text: ({ seller: at }) => `The declaration at ${cell(at)} is withdrawn.`,
  });
  withPages(withTarget(accounts.command('logins')))
    .description('list the clients that have a login of their own')
    .requiredOption('--seller <slug>', 'the seller')
    .action(atInstance(deps, logins));
}

const loginsOf = (slug: string): string => `/v1/sellers/${encodeURIComponent(slug)}/logins`;

const clientsOf = ({ clients, is_default: isDefault }: JsonObject): string =>
  [
    ...objectsIn(clients).map(({ client }) => cell(client)),
    ...(isDefault === true ? ['those without one of their own'] : []),
  ].join(', ');

const columns: Columns = {
  Account: 'account_id',
  Name: 'name',
  Status: ({ status, missing_since: missing }) =>
    missing === undefined ? status : `${cell(status)}, not listed now`,
  Brand: 'brand_domain',
  Operator: 'operator',
  Billing: 'billing',
  Clients: clientsOf,
};

const none = 'The seller lists no account to us.';

/** `accounts list --seller SLUG`. */
export function listAtSeller(at: At<PageOptions>, seller: string): Promise<Outcome> {
  return listed(at, {
    path: `/v1/sellers/${encodeURIComponent(seller)}/accounts`,
    name: 'accounts',
    columns,
    none,
    isAnswer: true,
  });
}

function syncedText(deps: CliDeps, answer: JsonObject): string {
  const accounts = objectsIn(answer['accounts']);
  if (accounts.length === 0) return none;
  const changed = objectsIn(answer['changed']).map(
    ({ account_id: id, from, to }) => `${cell(id)} was ${cell(from)} and is ${cell(to)}.`,
  );
  return [tableOf(deps, columns, accounts), ...changed].join('\n');
}

async function login(deps: CliDeps, options: LoginOptions): Promise<Outcome> {
  const { seller, client, basic, oauth, clientId, issuer } = options;
  const secret = oauth === true ? ok(undefined) : await readSecret(deps);
  if (!secret.ok) return secret;
  const isOAuth = oauth === true || clientId !== undefined;
  const body = defined({
    client,
    secret: secret.value,
    scheme: isOAuth ? undefined : basic === true ? 'basic' : 'bearer',
    consents: oauth,
    oauth_client_id: clientId,
    issuer,
  });
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(loginsOf(seller), body);
    if (!answer.ok) return answer;
    const { credential_id: id, authorize_url: url } = answer.value;
    if (url === undefined)
      return ok({
        json: answer.value,
        text: `The client uses a login of its own at ${cell(seller)} from now on: credential ${cell(id)}.`,
      });
    const text = `Sign in there within ten minutes, in your browser:\n${cell(url)}`;
    return ok({ json: answer.value, text, exit: 6 });
  });
}

function logins(at: At<SellerOptions & PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: loginsOf(at.options.seller),
    name: 'logins',
    columns: { Client: 'client', 'Client id': 'client_id', Credential: 'credential_id', Since: 'since' },
    none: 'No client has a login of its own there.',
    isAnswer: true,
  });
}

/** The answer of a seller to a declaration, in one line. */
function answerOf(answer: JsonValue | undefined): string {
  if (!isJsonObject(answer)) return 'nothing.';
  const { effect, account_id: id, status, errors, warnings } = answer;
  const account = id === undefined ? '' : `, account ${cell(id)}`;
  const faults = objectsIn(errors).map(({ says }) => cell(says));
  const told = Array.isArray(warnings) ? warnings.map((text) => cell(text)) : [];
  return [`${cell(effect)}${account}, ${cell(status)}.`, ...faults, ...told].join(' ');
}
