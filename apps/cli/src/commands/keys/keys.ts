import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface ListOptions extends PageOptions {
  readonly principal?: string;
  readonly state?: string;
  readonly sort?: string;
}

interface RotateOptions extends TargetOptions {
  readonly proofs?: true;
  readonly principal?: string;
  readonly kmsKey?: string;
}

/** `keys list`, `keys rotate`: the keys that sign for our principals. No private half ever leaves the instance. */
export function registerKeys(program: Command, deps: CliDeps): void {
  const keys = program
    .command('keys')
    .description('the keys that sign for our principals and for the organization');
  withTarget(withPages(keys.command('list')))
    .description('list our signing keys and their state')
    .option('--principal <name>', 'only those of one principal')
    .addOption(
      new Option('--state <state>', 'only those in it').choices(['published', 'live', 'retiring', 'retired']),
    )
    .addOption(new Option('--sort <order>', 'order (default: oldest first)').choices(['newest', 'oldest']))
    .action(atInstance(deps, list));
  withTarget(keys.command('rotate'))
    .description('publish the next key of a principal or the organization; it signs after the waiting time')
    .option('--principal <name>', 'whose key (default: your own)')
    .option('--proofs', 'the key of the organization, which signs statements and heads of chains')
    .option('--kms-key <arn>', 'sign with this key of AWS KMS (ECC_NIST_P256, SIGN_VERIFY) from then on')
    .action(atInstance(deps, rotate));
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { principal, state, sort } = at.options;
  return listed(at, {
    path: '/v1/keys',
    name: 'keys',
    query: { principal, state, sort },
    columns: {
      Key: 'kid',
      Principal: (row) => row['principal'] ?? 'the organization',
      Signs: (row) => (Array.isArray(row['signs']) ? row['signs'].map(cell).join(', ') : undefined),
      State: 'state',
      Algorithm: 'alg',
      'Held by': 'kms_key_id',
      Made: 'created_at',
    },
    none: 'There are no signing keys yet.',
  });
}

function rotate({ instance, options }: At<RotateOptions>): Promise<Outcome> {
  const query: JsonObject = {
    ...(options.principal === undefined ? {} : { principal: options.principal }),
    ...(options.proofs === true && { signs: 'proofs' }),
    ...(options.kmsKey === undefined ? {} : { kms_key_id: options.kmsKey }),
  };
  return shown(
    instance.post('/v1/keys/rotate', query),
    ({ kid, principal, live_from: from }) =>
      `Key ${cell(kid)} of ${cell(principal ?? 'the organization')} is published, and signs from ${cell(from)}.`,
  );
}
