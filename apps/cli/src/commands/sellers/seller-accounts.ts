import { Option, type Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, shown, type Outcome } from '../../outcome.js';
import { listed, tableOf, withPages, type Columns, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { readSecret } from '../../read-input.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SellerOptions extends TargetOptions {
  readonly seller: string;
}

interface UseOptions extends SellerOptions {
  readonly client: string;
  readonly account: string;
}

interface DeclareOptions extends SellerOptions {
  readonly brand: string;
  readonly brandId?: string;
  readonly operator?: string;
  readonly billing: 'operator' | 'agent' | 'advertiser';
  readonly paymentTerms?: (typeof terms)[number];
  readonly sandbox?: true;
  readonly client?: string;
}

const terms = ['net_15', 'net_30', 'net_45', 'net_60', 'net_90', 'prepay'] as const;

interface LoginOptions extends SellerOptions {
  readonly client: string;
  readonly basic?: true;
  readonly oauth?: true;
  readonly clientId?: string;
  readonly issuer?: string;
}

/** `accounts sync|use|release|declare|login|logout|logins --seller SLUG`: our accounts at a seller, and who buys in which. */
export function registerSellerAccounts(accounts: Command, deps: CliDeps): void {
  const subcommand = (name: string, description: string): Command =>
    withTarget(accounts.command(name))
      .description(description)
      .requiredOption('--seller <slug>', 'the seller');
  subcommand('sync', 'ask a seller for our accounts there now').action(atInstance(deps, sync));
  subcommand('use', 'let the brands of a client buy in an account at a seller')
    .requiredOption('--client <id>', 'id of the client')
    .requiredOption('--account <id>', "the seller's id of the account")
    .action(atInstance(deps, use));
  subcommand('release', 'take the account at a seller from a client; running buys stay in it')
    .requiredOption('--client <id>', 'id of the client')
    .action(atInstance(deps, release));
  subcommand('login', 'give a client a login of its own; its secret comes from standard input')
    .requiredOption('--client <id>', 'id of the client')
    .option('--basic', 'the secret is user:password (default: a token)')
    .option('--oauth', 'sign in at its authorization server: the answer has authorize_url')
    .option(
      '--client-id <id>',
      'our client at its authorization server; its secret comes from standard input',
    )
    .option('--issuer <url>', 'the issuer of its tokens that you trust')
    .action(printing(deps, login));
  subcommand('logout', 'take its own login from a client, and revoke the secret')
    .requiredOption('--client <id>', 'id of the client')
    .action(atInstance(deps, logout));
  subcommand('declare', 'ask a seller what it would do with an account for a brand; another person sends it')
    .requiredOption('--brand <domain>', 'the domain of the brand')
    .option('--brand-id <id>', 'which brand of the domain')
    .option('--operator <domain>', 'who operates it (default: the domain of the organization)')
    .addOption(
      new Option('--billing <who>', 'who is billed')
        .choices(['operator', 'agent', 'advertiser'])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--payment-terms <terms>', 'terms of payment').choices(terms))
    .option('--sandbox', 'an account for practice')
    .option('--client <id>', 'declare it with the own login of this client')
    .action(atInstance(deps, declare));
  const decided = (name: string, description: string, act: 'approve' | 'withdraw'): Command =>
    withTarget(accounts.command(name))
      .description(description)
      .argument('<id>', 'id of the declaration')
      .action(atInstance(deps, (at: At, id: string) => decide(at, id, act)));
  decided('approve', 'declare an account at its seller that another person has prepared', 'approve');
  decided('withdraw', 'take a declaration back that nobody has approved', 'withdraw');
  withPages(subcommand('logins', 'list the clients that have a login of their own')).action(
    atInstance(deps, logins),
  );
}

const pathOf = (slug: string, act = ''): string => `/v1/sellers/${encodeURIComponent(slug)}/accounts${act}`;

const loginsOf = (slug: string, act = ''): string => `/v1/sellers/${encodeURIComponent(slug)}/logins${act}`;

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
  return listed(at, { path: pathOf(seller), name: 'accounts', columns, none, isAnswer: true });
}

function sync({ deps, instance, options }: At<SellerOptions>): Promise<Outcome> {
  return shown(instance.post(pathOf(options.seller, '/sync'), {}), (answer) => {
    const accounts = objectsIn(answer['accounts']);
    if (accounts.length === 0) return none;
    const changed = objectsIn(answer['changed']).map(
      ({ account_id: id, from, to }) => `${cell(id)} was ${cell(from)} and is ${cell(to)}.`,
    );
    return [tableOf(deps, columns, accounts), ...changed].join('\n');
  });
}

function use({ instance, options }: At<UseOptions>): Promise<Outcome> {
  const { seller, client, account } = options;
  return shown(
    instance.post(pathOf(seller, '/use'), { client, account_id: account }),
    () => `The client buys in the account ${cell(account)} at ${cell(seller)} from now on.`,
  );
}

function release({ instance, options }: At<Omit<UseOptions, 'account'>>): Promise<Outcome> {
  const { seller, client } = options;
  return shown(
    instance.post(pathOf(seller, '/release'), { client }),
    () => `The client has no account of its own at ${cell(seller)} any more.`,
  );
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

function logout({ instance, options }: At<LoginOptions>): Promise<Outcome> {
  const { seller, client } = options;
  return shown(
    instance.post(loginsOf(seller, '/end'), { client }),
    () => `The client has no login of its own at ${cell(seller)} any more, and the secret is revoked.`,
  );
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

function declare({ instance, options }: At<DeclareOptions>): Promise<Outcome> {
  const { seller, brand, brandId, operator, billing, paymentTerms, sandbox, client } = options;
  const body = {
    brand_domain: brand,
    billing,
    ...defined({ brand_id: brandId, operator, payment_terms: paymentTerms, sandbox, client }),
  };
  return shown(instance.post(pathOf(seller, '/declare'), body), ({ declaration_id: id, preview }) =>
    [
      `${cell(seller)} would answer: ${answerOf(preview)}`,
      ...(isJsonObject(preview) && preview['is_trial'] !== true
        ? ['It did not say that this was a trial: look whether it has stored the account.']
        : []),
      `Another person sends it: switchyard accounts approve ${cell(id)}`,
    ].join('\n'),
  );
}

function decide({ instance }: At, id: string, act: 'approve' | 'withdraw'): Promise<Outcome> {
  return shown(
    instance.post(`/v1/declarations/${encodeURIComponent(id)}/${act}`, {}),
    ({ seller, outcome }) =>
      act === 'withdraw'
        ? `The declaration at ${cell(seller)} is withdrawn.`
        : `${cell(seller)} has answered: ${answerOf(outcome)}`,
  );
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
