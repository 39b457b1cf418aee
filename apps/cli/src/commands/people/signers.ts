import { Option, type Command } from 'commander';
import { ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { finish, type Outcome } from '../../outcome.js';
import { getPages, shownPage, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { keysFrom } from './keys-from.js';

interface ListOptions extends PageOptions {
  readonly principal?: string;
  readonly sort?: string;
}

interface AddOptions extends TargetOptions {
  readonly jwks?: string;
  readonly protocol?: string;
  readonly agentUrl: string;
  readonly dialect?: string;
  readonly rsa?: boolean;
}

/** `signers list`, `add` and `remove`: the agents whose signed requests are taken as one of our principals'. */
export function registerSigners(program: Command, deps: CliDeps): void {
  const signers = program.command('signers').description('agents that sign as our principals');
  withTarget(withPages(signers.command('list')))
    .description('list them, with the keys that were handed in or where they are fetched')
    .option('--principal <name>', 'only those of one principal')
    .addOption(new Option('--sort <order>', 'oldest first unless set').choices(['newest', 'oldest']))
    .action(async (options: ListOptions) => finish(deps, options, await list(deps, options)));
  withTarget(signers.command('add'))
    .description('let an agent sign as a principal')
    .argument('<name>', 'of the principal')
    .option('--jwks <file or url>', 'the public keys that it signs with (default: the agent is asked)')
    .requiredOption('--agent-url <url>', 'address of the agent, which its requests are recorded under')
    .addOption(
      new Option('--protocol <protocol>', 'how the agent is asked for its keys (default: mcp)').choices([
        'mcp',
        'a2a',
      ]),
    )
    .addOption(new Option('--dialect <dialect>', 'of keys marked for both').choices(['ads', 'adcp']))
    .option('--rsa', 'it may sign with rsa-pss-sha512')
    .action(async (name: string, options: AddOptions) =>
      finish(deps, options, await add(deps, name, options)),
    );
  withTarget(signers.command('remove'))
    .description('take its signature no more, from the next request on')
    .argument('<id>', 'of the signer')
    .action(async (id: string, options: TargetOptions) =>
      finish(deps, options, await remove(deps, id, options)),
    );
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const { principal, sort } = options;
    const query = { principal, sort };
    const page = await getPages(instance, { path: '/v1/signers', name: 'signers' }, query, options);
    if (!page.ok) return page;
    const signers = page.value.rows;
    const rows = signers.map((one) => [
      one['signer_id'],
      one['principal'],
      one['agent_url'],
      keysCell(one),
      one['dialect'],
      one['allows_rsa_pss'] === true ? 'yes' : 'no',
    ]);
    const text =
      rows.length === 0
        ? 'No agent signs as a principal yet.'
        : table(deps, ['Signer', 'Principal', 'Agent', 'Keys', 'Dialect', 'RSA'], rows);
    return shownPage(page.value, text);
  });
}

function keysCell({ jwks_uri: address, kids, discovered_over: over }: JsonObject): JsonValue | undefined {
  if (over === undefined) return address ?? kids;
  return address === undefined ? `to be discovered over ${cell(over)}` : `${cell(address)} (discovered)`;
}

async function add(deps: CliDeps, name: string, options: AddOptions): Promise<Outcome> {
  const keys = await keysFrom(deps, options.jwks);
  if (!keys.ok) return keys;
  const row = {
    agent_url: options.agentUrl,
    ...keys.value,
    ...(options.protocol === undefined ? {} : { protocol: options.protocol }),
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
    ...(options.rsa === true ? { allows_rsa_pss: true } : {}),
  };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/principals/${encodeURIComponent(name)}/signers`, row);
    if (!answer.ok) return answer;
    const { signer_id: id, agent_url: agent } = answer.value;
    return ok({ json: answer.value, text: `${cell(agent)} signs as ${cell(name)} now (${cell(id)}).` });
  });
}

function remove(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.remove(`/v1/signers/${encodeURIComponent(id)}`);
    if (!answer.ok) return answer;
    return ok({ json: answer.value, text: `${cell(id)} signs as nobody, from the next request on.` });
  });
}
