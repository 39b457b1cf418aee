import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';

/** `scim show`, `allow`, `token`, `end`: provisioning of people and teams. */
export function registerScim(program: Command, deps: CliDeps): void {
  const scim = program.command('scim').description('provisioning of people and teams by SCIM 2.0');
  request(scim, deps, 'show', {
    describe: 'show whether it is allowed, and its address',
    route: 'GET /v1/scim',
    text: textOf,
  });
  request(scim, deps, 'allow', {
    describe: 'let a provisioning system manage people and teams; another person approves it',
    route: 'POST /v1/scim',
    text: textOf,
  });
  request(scim, deps, 'token', {
    describe: 'issue a token for the provisioning system, which is shown once',
    options: { '--days <days>': { help: 'how long it is valid (default: 365)', read: Number } },
    route: 'POST /v1/scim/tokens',
    members: ({ days = 365 }) => ({ ttl_seconds: Math.round(Number(days) * 86_400) }),
    text: ({ base_url: base, token, expires_at: until }) =>
      `Address:  ${cell(base)}\nToken:    ${cell(token)}\nIt is shown this once, and ends ${cell(until)}.`,
  });
  request(scim, deps, 'end', {
    describe: 'end provisioning at once, with every token; people and teams stay',
    route: 'DELETE /v1/scim',
    text: 'No provisioning system manages people any more.',
  });
}

function textOf({ allowed, base_url: base, users, groups }: JsonObject): string {
  if (allowed !== true)
    return 'No provisioning system manages people here. Allow it with: switchyard scim allow';
  const managed = users === undefined ? '' : `\nIt manages ${cell(users)} people and ${cell(groups)} teams.`;
  return `A provisioning system manages people at ${cell(base)}.${managed}`;
}
