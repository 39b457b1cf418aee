import { Option, type Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import { printing, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { keysFrom } from './keys-from.js';

interface AddOptions extends TargetOptions {
  readonly jwks?: string;
  readonly protocol?: string;
  readonly agentUrl: string;
  readonly dialect?: string;
  readonly rsa?: boolean;
}

/** `signers add` and `remove`: the agents whose signed requests are accepted for one of our principals. */
export function registerSigners(program: Command, deps: CliDeps): void {
  const signers = program.command('signers').description('signers: agents that sign requests as a principal');
  withTarget(signers.command('add'))
    .description('register an agent as a signer of a principal')
    .argument('<name>', 'of the principal')
    .option('--jwks <file or url>', 'its public signing keys (default: the agent is asked)')
    .requiredOption('--agent-url <url>', 'address of the agent, which its requests are recorded under')
    .addOption(
      new Option('--protocol <protocol>', 'protocol by which its keys are requested (default: mcp)').choices([
        'mcp',
        'a2a',
      ]),
    )
    .addOption(new Option('--dialect <dialect>', 'of keys marked for both').choices(['ads', 'adcp']))
    .option('--rsa', 'it may sign with rsa-pss-sha512')
    .action(printing(deps, add));
  request(signers, deps, 'remove <id>', {
    describe: 'remove a signer, with effect from the next request',
    of: 'of the signer',
    route: 'DELETE /v1/signers/{id}',
    text: (_, { id }) => `${id} is no longer a signer, with effect from the next request.`,
  });
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
  return onInstance(deps, options, (instance) =>
    shown(
      instance.post(`/v1/principals/${encodeURIComponent(name)}/signers`, row),
      ({ signer_id: id, agent_url: agent }) => `${cell(agent)} signs as ${cell(name)} now (${cell(id)}).`,
    ),
  );
}
