import type { Command } from 'commander';
import type { CliDeps } from '../../deps.js';
import type { Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { atInstance, withTarget, type At } from '../../target.js';

/** `keys list`, `keys rotate`: the keys that sign for our principals. No private half ever leaves the instance. */
export function registerKeys(program: Command, deps: CliDeps): void {
  const keys = program
    .command('keys')
    .description('the keys that sign for our principals and for the organization');
  withTarget(withPages(keys.command('list')))
    .description('list our signing keys and their state')
    .action(atInstance(deps, list));
  request(keys, deps, 'rotate', {
    describe: 'publish the next key of a principal or the organization; it signs after the waiting time',
    options: {
      '--principal <name>': 'whose key (default: your own)',
      '--proofs': 'the key of the organization, which signs statements and heads of chains',
      '--kms-key <arn>': 'sign with this key of AWS KMS (ECC_NIST_P256, SIGN_VERIFY) from then on',
    },
    route: 'POST /v1/keys/rotate',
    members: ({ principal, proofs, kmsKey }) => ({
      ...{ principal, kms_key_id: kmsKey, signs: proofs === true ? 'proofs' : undefined },
    }),
    text: ({ kid, principal, live_from: from }) =>
      `Key ${cell(kid)} of ${cell(principal ?? 'the organization')} is published, and signs from ${cell(from)}.`,
  });
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/keys',
    name: 'keys',
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
