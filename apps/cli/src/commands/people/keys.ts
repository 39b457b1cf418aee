import { Option, type Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { finish, type Outcome } from '../../outcome.js';
import { getPages, shownPage, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';

interface ListOptions extends PageOptions {
  readonly principal?: string;
  readonly state?: string;
  readonly sort?: string;
}

interface RotateOptions extends TargetOptions {
  readonly principal?: string;
  readonly kmsKey?: string;
}

/** `keys list`, `keys rotate`: the keys that sign for our principals. No private half ever leaves the instance. */
export function registerKeys(program: Command, deps: CliDeps): void {
  const keys = program.command('keys').description('the keys that sign for our principals');
  withTarget(withPages(keys.command('list')))
    .description('list our signing keys and where each is in its life')
    .option('--principal <name>', 'only those of one principal')
    .addOption(
      new Option('--state <state>', 'only those in it').choices(['published', 'live', 'retiring', 'retired']),
    )
    .addOption(new Option('--sort <order>', 'oldest first unless set').choices(['newest', 'oldest']))
    .action(async (options: ListOptions) => finish(deps, options, await list(deps, options)));
  withTarget(keys.command('rotate'))
    .description('publish the next key of a principal; it signs once everybody can know it')
    .option('--principal <name>', 'whose key (default: your own)')
    .option('--kms-key <arn>', 'sign with this key of AWS KMS (ECC_NIST_P256, SIGN_VERIFY) from then on')
    .action(async (options: RotateOptions) => finish(deps, options, await rotate(deps, options)));
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const { principal, state, sort } = options;
    const query = { principal, state, sort };
    const page = await getPages(instance, { path: '/v1/keys', name: 'keys' }, query, options);
    if (!page.ok) return page;
    const keys = page.value.rows;
    const rows = keys.map((key) => [
      key['kid'],
      key['principal'],
      key['state'],
      key['alg'],
      key['kms_key_id'],
      key['created_at'],
    ]);
    const text =
      rows.length === 0
        ? 'There are no signing keys yet.'
        : table(deps, ['Key', 'Principal', 'State', 'Algorithm', 'Held by', 'Made'], rows);
    return shownPage(page.value, text);
  });
}

function rotate(deps: CliDeps, options: RotateOptions): Promise<Outcome> {
  const query: JsonObject = {
    ...(options.principal === undefined ? {} : { principal: options.principal }),
    ...(options.kmsKey === undefined ? {} : { kms_key_id: options.kmsKey }),
  };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/keys/rotate', query);
    if (!answer.ok) return answer;
    const { kid, principal, live_from: from } = answer.value;
    const text = `Key ${cell(kid)} of ${cell(principal)} is published, and signs from ${cell(from)}.`;
    return ok({ json: answer.value, text });
  });
}
