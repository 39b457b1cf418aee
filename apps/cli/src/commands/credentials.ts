import type { Command } from 'commander';
import { isJsonObject, ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { readSecret } from '../read-input.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

/** `credentials list`, `credentials rotate ID`, `credentials rewrap`. No secret is ever printed. */
export function registerCredentials(program: Command, deps: CliDeps): void {
  const credentials = program.command('credentials').description('what the vault holds');
  withTarget(credentials.command('list'))
    .description('list credentials, without their secrets')
    .action(async (options: TargetOptions) => finish(deps, options, await list(deps, options)));
  withTarget(credentials.command('rotate'))
    .description('put a new secret, read from standard input, in the place of the old one')
    .argument('<id>', 'credential id')
    .action(async (id: string, options: TargetOptions) =>
      finish(deps, options, await rotate(deps, id, options)),
    );
  withTarget(credentials.command('rewrap'))
    .description('wrap all data keys with the newest master key')
    .action(async (options: TargetOptions) => finish(deps, options, await rewrap(deps, options)));
}

function list(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get('/v1/credentials');
    if (!answer.ok) return answer;
    const credentials = objectsIn(answer.value['credentials']);
    const rows = credentials.map((one) => [
      one['credential_id'],
      one['seller'],
      one['kind'],
      one['version'],
      one['kms_key_id'],
      one['last_used_at'],
    ]);
    const text =
      rows.length === 0
        ? 'The vault holds no credentials.'
        : table(deps, ['Credential', 'Seller', 'Kind', 'Version', 'Wrapped by', 'Last used'], rows);
    return ok({ json: credentials, text });
  });
}

async function rotate(deps: CliDeps, id: string, options: TargetOptions): Promise<Outcome> {
  const secret = await readSecret(deps);
  if (!secret.ok) return secret;
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/credentials/${encodeURIComponent(id)}/rotate`, {
      secret: secret.value,
    });
    if (!answer.ok) return answer;
    const { version, seller_check: check } = answer.value;
    const text = `Credential ${cell(id)} is at version ${cell(version)}.`;
    if (!isJsonObject(check) || check['ok'] === true) return ok({ json: answer.value, text });
    return ok({
      json: answer.value,
      text,
      failed: `The seller does not accept it: ${cell(check['reason'])}`,
    });
  });
}

function rewrap(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/credentials/rewrap', {});
    if (!answer.ok) return answer;
    const { rewrapped, kms_key_id: key } = answer.value;
    return ok({ json: answer.value, text: `${cell(rewrapped)} credentials wrapped anew by ${cell(key)}.` });
  });
}
