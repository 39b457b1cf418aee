import type { Command } from 'commander';
import { defined, isJsonObject, ok, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { readSecret } from '../../read-input.js';
import {
  atInstance,
  onInstallation,
  onInstance,
  withTarget,
  type At,
  type TargetOptions,
} from '../../target.js';

interface RotateOptions extends TargetOptions {
  readonly overlap?: string;
}

interface RewrapOptions extends TargetOptions {
  readonly to?: string;
}

/** `credentials list`, `credentials rotate|rollback ID`, `credentials revoke ID`, `credentials rewrap`. No secret is ever printed. */
export function registerCredentials(program: Command, deps: CliDeps): void {
  const credentials = program.command('credentials').description('credentials in the vault');
  withTarget(withPages(credentials.command('list')))
    .description('list credentials, without their secrets')
    .option('--failing', 'only those that the seller refused at their last use')
    .action(atInstance(deps, list));
  withTarget(credentials.command('rotate'))
    .description('try a new secret from standard input: it replaces the old one once the seller takes it')
    .argument('<id>', 'credential id')
    .option('--overlap <seconds>', 'how long the old secret is there to go back to (default: 900)')
    .action(printing(deps, rotate));
  request(credentials, deps, 'rollback <id>', {
    describe: 'go back to the version before the current one, while it lives',
    of: 'credential id',
    route: 'POST /v1/credentials/{id}/rollback',
    text: ({ version }, { id }) => `Credential ${id} is at version ${cell(version)} again.`,
  });
  request(credentials, deps, 'ends <id>', {
    describe:
      'enter the day on which a credential ends at its seller, so that it is told 30, 7 and 1 days before',
    of: 'credential id',
    options: { '--on <date>': 'the last day, as YYYY-MM-DD (default: nobody knows it)' },
    route: 'POST /v1/credentials/{id}/ends',
    members: ({ on = null }) => ({ on }),
    text: ({ says }) => cell(says),
  });
  request(credentials, deps, 'revoke <id>', {
    describe: 'revoke a credential: it is not used any more',
    of: 'credential id',
    route: 'POST /v1/credentials/{id}/revoke',
    text: ({ revoked }, { id }) => `Credential ${id} is revoked: ${cell(revoked)} versions.`,
  });
  withTarget(credentials.command('rewrap'))
    .description(
      'wrap all data keys of the installation with another master key; can be stopped and run again',
    )
    .option('--to <key>', 'the key that wraps from now on (default: the one of the settings)')
    .action(printing(deps, rewrap));
}

function list(at: At<PageOptions & { readonly failing?: true }>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/credentials',
    name: 'credentials',
    query: { has_error: at.options.failing === true ? 'true' : undefined },
    columns: {
      Credential: 'credential_id',
      Seller: 'seller',
      Kind: 'kind',
      Version: 'version',
      State: 'state',
      Uses: 'uses',
      Refused: 'refusals',
      'Can be rotated': (row) => (row['can_rotate'] === true ? 'yes' : 'no'),
      'Wrapped by': 'kms_key_id',
      'Last used': 'last_used_at',
      'Last error': (row) => errorOf(row['last_error']),
      Ends: (row) => row['ends_at'] ?? row['retires_at'],
      'What it does': 'says',
    },
    none: 'The vault holds no credentials.',
  });
}

async function rotate(deps: CliDeps, id: string, options: RotateOptions): Promise<Outcome> {
  const secret = await readSecret(deps);
  if (!secret.ok) return secret;
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/credentials/${encodeURIComponent(id)}/rotate`, {
      secret: secret.value,
      ...(options.overlap === undefined ? {} : { overlap_seconds: Number(options.overlap) }),
    });
    if (!answer.ok) return answer;
    const { version, state, seller_check: check } = answer.value;
    const text =
      state === 'candidate'
        ? `Version ${cell(version)} of ${cell(id)} is on trial: the next call that needs a credential decides.`
        : `Credential ${cell(id)} is at version ${cell(version)}.`;
    if (!isJsonObject(check) || check['ok'] === true) return ok({ json: answer.value, text });
    return ok({
      json: answer.value,
      text,
      failed: `The seller does not accept it: ${cell(check['reason'])}`,
    });
  });
}

function errorOf(error: JsonValue | undefined): string {
  return isJsonObject(error) ? `${cell(error['code'])} at ${cell(error['at'])}` : '';
}

/** The instance works for some seconds each time, so that no call is cut off; this goes on until nothing is left. */
function rewrap(deps: CliDeps, options: RewrapOptions): Promise<Outcome> {
  return onInstallation(deps, options, async (instance) => {
    let sum = 0;
    for (;;) {
      const answer = await instance.post('/v1/credentials/rewrap', defined({ to: options.to }));
      if (!answer.ok) return answer;
      const { rewrapped, left, kms_key_id: key, under } = answer.value;
      const [moved, rest] = [Number(rewrapped), Number(left)];
      sum += moved;
      if (rest > 0 && moved > 0) continue;
      const json = { ...answer.value, rewrapped: sum };
      const others = objectsIn(under).map(
        (row) => `${cell(row['records'])} records are under ${cell(row['kms_key_id'])}.`,
      );
      const text = [`${sum} records rewrapped with ${cell(key)}.`, ...others].join('\n');
      if (rest === 0) return ok({ json, text });
      return ok({
        json,
        text,
        failed: `${rest} records could not be moved. Keep the old key, and try again.`,
      });
    }
  });
}
