import { Option, type Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, shown, type Outcome } from '../../outcome.js';
import { cell, plain } from '../../plain.js';
import { readFileBytes, readSecret } from '../../read-input.js';
import { sellerForm, sellerForms } from '../../read-options.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface AddOptions extends TargetOptions {
  readonly candidate?: string;
  readonly slug?: string;
  readonly protocol?: string;
  readonly dialect?: string;
  readonly form?: string;
  readonly account?: string;
  readonly tokenStdin?: boolean;
  readonly basic?: boolean;
  readonly oauth?: boolean;
  readonly clientId?: string;
  readonly issuer?: string;
  readonly certificate?: string;
  readonly yes?: boolean;
  readonly jwksUri?: string;
  readonly brandJsonUrl?: string;
  readonly legacyWebhooks?: string;
  readonly relaySignature?: boolean;
}

/** `sellers add INPUT`, and what becomes of a draft: `checks`, `report`, `approve`, `drafts`, `discard`. */
export function registerAddSellers(sellers: Command, deps: CliDeps): void {
  withTarget(sellers.command('add'))
    .description('bring a seller in: find it, run its checks; with the slug of a draft go on with it')
    .argument('<input>', 'a domain, or the address of an adagents.json, of a brand.json or of an agent')
    .option('--candidate <url>', 'the agent, where several were found')
    .option('--slug <slug>', 'slug, the prefix of all its ids (default: made of the domain)')
    .option('--protocol <protocol>', 'mcp, a2a or a connector (default: mcp and a2a are tried)')
    .addOption(
      new Option('--dialect <dialect>', 'default: by the names of its tasks').choices(['ads', 'adcp']),
    )
    .addOption(
      new Option('--form <form>', 'version of the protocol').choices(sellerForms).argParser(sellerForm),
    )
    .option('--account <id>', 'our account at this seller')
    .option('--token-stdin', 'read its token from standard input')
    .option('--basic', 'the credential is a name and a password: NAME:PASSWORD, from standard input')
    .option('--oauth', 'sign in at its authorization server in your browser')
    .option(
      '--client-id <id>',
      'our client at its authorization server; its secret from standard input, or none: then our published key proves it',
    )
    .option('--issuer <url>', 'the authorization server that you trust with it, if it is not on its own site')
    .option(
      '--certificate <file>',
      'our client certificate there, as PEM: its chain and its private key; - is standard input',
    )
    .option(
      '--yes',
      'go by rule where one answers: of several accounts none is chosen where none is required, and an agent that is connected already is connected once more',
    )
    .option('--jwks-uri <url>', 'where its keys are, instead of finding them')
    .option('--brand-json-url <url>', 'where its brand.json is, instead of finding it')
    .addOption(
      new Option(
        '--legacy-webhooks <mode>',
        'request its webhooks in this older mode; also for a live seller',
      ).choices(['hmac-sha256', 'bearer']),
    )
    .option('--relay-signature', 'it requires our signature on every request; sealed requests are refused')
    .action(printing(deps, add));
  const ofSlug = (name: string, description: string): Command =>
    withTarget(sellers.command(name)).description(description).argument('<slug>', 'its name here');
  ofSlug(
    'checks',
    'show the newest result of each check of a seller: when it was added, and of the last night',
  ).action(atInstance(deps, checks));
  ofSlug('report', 'show what a seller should repair, in words that can be sent to it').action(
    atInstance(deps, report),
  );
  ofSlug('approve', 'let a seller go live that another person has added').action(atInstance(deps, approve));
  ofSlug('discard', 'delete a draft with its credentials').action(atInstance(deps, discard));
  withTarget(sellers.command('drafts'))
    .description('list sellers that are not through the gate yet')
    .action(atInstance(deps, drafts));
}

const pathOf = (slug: string, act: string): string => `/v1/sellers/${encodeURIComponent(slug)}/${act}`;

async function add(deps: CliDeps, input: string, options: AddOptions): Promise<Outcome> {
  const { oauth, clientId, issuer } = options;
  const pem = options.certificate === undefined ? undefined : await readFileBytes(deps, options.certificate);
  if (pem?.ok === false) return pem;
  const isClient = clientId !== undefined;
  // In a browser a client may do without a secret.
  const takesSecret = options.tokenStdin === true || options.basic === true || (isClient && oauth !== true);
  const read = takesSecret ? await readSecret(deps) : ok(undefined);
  // A client without a secret is proved by our published key.
  const secret = !read.ok && isClient ? ok(undefined) : read;
  if (!secret.ok) return secret;
  const { candidate, slug, protocol, dialect, form, account, jwksUri, brandJsonUrl, legacyWebhooks } =
    options;
  const body: JsonObject = {
    input,
    ...defined({ candidate, slug, protocol, dialect, form, account, client_id: clientId, issuer }),
    ...(secret.value !== undefined && { [isClient ? 'client_secret' : 'token']: secret.value }),
    ...(pem?.ok === true && { certificate: pem.value.toString('utf8') }),
    ...(oauth === true ? { oauth: true } : {}),
    ...(options.basic === true ? { token_scheme: 'basic' } : {}),
    ...defined({ jwks_uri: jwksUri, brand_json_url: brandJsonUrl, legacy_webhooks: legacyWebhooks }),
    ...(options.relaySignature === true ? { relay_signature: true } : {}),
    ...(options.yes === true ? { yes: true } : {}),
  };
  return onInstance(deps, options, async (instance) => {
    deps.stderr.write(`Onboarding ${cell(slug ?? input)} ...\n`);
    const answer = await instance.post('/v1/sellers/add', body);
    return answer.ok ? judged(deps, answer.value) : answer;
  });
}

/** Exit code 0: live, or waiting for another person. 6: it waits for a choice or a credential. 1: a check failed. */
function judged(deps: CliDeps, answer: JsonObject): Outcome {
  const { slug, state } = answer;
  const rows = objectsIn(answer['checks']);
  if (state === 'live') return ok({ json: answer, text: `${cell(slug)} is live.` });
  const [open] = rows.filter((row) => row['state'] === 'failed' || row['state'] === 'needs_person');
  const why = open === undefined ? '' : `${cell(open['words'])} ${cell(open['next'])}`.trim();
  const text = checkTable(deps, rows);
  const { authorize_url: address } = answer;
  if (state === 'waiting') {
    const isSlow = rows.some((row) => row['state'] === 'waiting' && row['code'] === 'slow');
    const waits = isSlow
      ? `has not answered in time, and is tried again by itself for some minutes: switchyard sellers checks ${cell(slug)}`
      : `waits for another person: switchyard sellers approve ${cell(slug)}`;
    return ok({ json: answer, text: `${text}\n${cell(slug)} ${waits}` });
  }
  if (state === 'needs_person')
    return ok({
      json: answer,
      text: `${text}\n${why}${address === undefined ? '' : `\n${cell(address)}`}`,
      exit: 6,
    });
  return ok({ json: answer, text, failed: `${cell(slug)} is not live: ${why}` });
}

function checkTable(deps: CliDeps, rows: readonly JsonObject[]): string {
  return table(
    deps,
    ['Check', 'State', 'Result'],
    rows.map(({ key, state, words }) => [key, cell(state).replace('_', ' '), words]),
  );
}

function checks({ deps, instance }: At, slug: string): Promise<Outcome> {
  return shown(instance.get(pathOf(slug, 'checks')), (answer) => {
    const { checks: rows, ran_at: ranAt, nightly } = answer;
    const added = ranAt === undefined ? 'It came without checks.' : `When it was added, ${cell(ranAt)}:`;
    const shownRows = objectsIn(rows);
    const text = `${added}${shownRows.length === 0 ? '' : `\n${checkTable(deps, shownRows)}`}`;
    if (!isJsonObject(nightly)) return text;
    const { at, state, checks: ran } = nightly;
    return `${text}\n\nAt night, ${cell(at)} (${cell(state)}):\n${checkTable(deps, objectsIn(ran))}`;
  });
}

function report({ instance }: At, slug: string): Promise<Outcome> {
  return shown(instance.get(pathOf(slug, 'report')), ({ markdown }) =>
    typeof markdown === 'string' ? plain(markdown) : '',
  );
}

async function approve({ deps, instance }: At, slug: string): Promise<Outcome> {
  const answer = await instance.post(pathOf(slug, 'approve'), {});
  return answer.ok ? judged(deps, answer.value) : answer;
}

function discard({ instance }: At, slug: string): Promise<Outcome> {
  return shown(instance.post(pathOf(slug, 'discard'), {}), () => `The draft ${cell(slug)} is deleted.`);
}

function drafts({ deps, instance }: At): Promise<Outcome> {
  return shown(instance.get('/v1/sellers/drafts'), (answer) => {
    const rows = objectsIn(answer['drafts']);
    if (rows.length === 0) return 'There are no drafts.';
    return table(
      deps,
      ['Seller', 'Address', 'State', 'Next'],
      rows.map(({ slug, agent_url: url, state, next }) => [slug, url, cell(state).replace('_', ' '), next]),
    );
  });
}
