import type { Command } from 'commander';
import { err, isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { readJsonFile } from '../../read-input.js';
import { request } from '../../request-command.js';
import { atInstance, withTarget, type At } from '../../target.js';

/** `principals provider show`, `set`, `remove`: the OpenID Connect provider of the organization. */
export function registerSignInProvider(principals: Command, deps: CliDeps): void {
  const provider = principals
    .command('provider')
    .description('the OpenID Connect provider that the people of the organization sign in with');
  request(provider, deps, 'show', {
    describe: 'show it, and the addresses to register there',
    route: 'GET /v1/sign-in-provider',
    text: textOf,
  });
  withTarget(provider.command('set'))
    .description('set it, with the roles of its groups; another person approves it')
    .argument(
      '<file>',
      'JSON with issuer, client_id, client_secret, name, domains and groups; - is standard input',
    )
    .action(atInstance(deps, set));
  request(provider, deps, 'remove', {
    describe: 'let nobody sign in with it any more',
    route: 'DELETE /v1/sign-in-provider',
    text: 'Nobody signs in with the provider any more. Its roles stay: grants list shows them.',
  });
}

async function set({ deps, instance }: At, file: string): Promise<Outcome> {
  const read = await readJsonFile(deps, file);
  if (!read.ok) return read;
  const { value } = read.value;
  if (!isJsonObject(value)) return err({ message: `${file} holds no JSON object.` });
  return shown(instance.post('/v1/sign-in-provider', value), textOf);
}

function textOf({ provider, redirect_uri: redirect, sign_in_url: begin }: JsonObject): string {
  const addresses = `Redirect URI to register there: ${cell(redirect)}\nPeople begin at:               ${cell(begin)}`;
  if (!isJsonObject(provider)) return `The organization has no sign-in provider.\n${addresses}`;
  const groups = Array.isArray(provider['groups']) ? provider['groups'].filter(isJsonObject) : [];
  const domains = Array.isArray(provider['domains']) ? provider['domains'].map(cell).join(', ') : '';
  const lines = groups.map(({ group, role, scope }) => `  ${cell(group)}: ${cell(role)} in ${cell(scope)}`);
  return [
    `${cell(provider['name'])}: ${cell(provider['issuer'])}, client ${cell(provider['client_id'])}`,
    `People with an address of ${domains}. Roles by the claim ${cell(provider['groups_claim'])}:`,
    ...(lines.length === 0 ? ['  none'] : lines),
    addresses,
  ].join('\n');
}
