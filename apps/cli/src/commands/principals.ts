import { Option, type Command } from 'commander';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { objectsIn } from '../objects-in.js';
import { finish, type CliFailure, type Outcome } from '../outcome.js';
import { cell } from '../plain.js';
import { readPermissions, secondsFrom } from '../read-options.js';
import { identityFrom, identityOptions, type IdentityOptions } from './identity-options.js';
import { registerIdentities } from './identities.js';
import { keysFrom } from './keys-from.js';
import { table } from '../table.js';
import { onInstance, withTarget, type TargetOptions } from '../target.js';

interface AddOptions extends TargetOptions, IdentityOptions {
  readonly kind: string;
  readonly jwks?: string;
  readonly rsa?: boolean;
  readonly agentUrl?: string;
  readonly dialect?: string;
  readonly brandDomain?: string;
  readonly allow?: string;
  readonly expires?: string;
  readonly legacy?: boolean;
  readonly transitional?: boolean;
  readonly basic?: boolean;
}

interface TokenOptions extends TargetOptions {
  readonly allow?: string;
  readonly expires?: string;
  readonly basic?: boolean;
}

interface RotateOptions extends TargetOptions {
  readonly overlap?: string;
  readonly expires?: string;
  readonly tokenId?: string;
}

interface RevokeOptions extends TargetOptions {
  readonly tokenId?: string;
}

/** `principals add`, `list`, `token`, `rotate`, `revoke` and `identity`. A secret is printed by the command that made it alone. */
export function registerPrincipals(program: Command, deps: CliDeps): void {
  const principals = program.command('principals').description('who may call, with what, and how long');
  registerAdd(principals, deps);
  registerIdentities(principals, deps);
  withTarget(principals.command('list'))
    .description('list principals and the tokens they hold, without any secret')
    .action(async (options: TargetOptions) => finish(deps, options, await list(deps, options)));
  withTarget(principals.command('token'))
    .description('hand out one more token of a principal')
    .argument('<name>', 'of the principal')
    .option('--allow <permissions>', allowHelp)
    .option('--expires <when>', expiresHelp)
    .option('--basic', 'a name and a password instead of a bearer token')
    .action(async (name: string, options: TokenOptions) =>
      finish(deps, options, await addToken(deps, name, options)),
    );
  withTarget(principals.command('rotate'))
    .description('put a new token in the place of the old one')
    .argument('<name>', 'of the principal')
    .option('--overlap <time>', 'how long the old one stays good (default: 24h; 0s ends it at once)')
    .option('--expires <when>', expiresHelp)
    .option('--token-id <id>', 'which token, where there are several')
    .action(async (name: string, options: RotateOptions) =>
      finish(deps, options, await rotate(deps, name, options)),
    );
  withTarget(principals.command('revoke'))
    .description('switch a principal off, or revoke one of its tokens; holds from the next request on')
    .argument('[name]', 'of the principal')
    .option('--token-id <id>', 'this token alone')
    .action(async (name: string | undefined, options: RevokeOptions) =>
      finish(deps, options, await revoke(deps, name, options)),
    );
}

const allowHelp = 'what it may do: area:kind,... (for example products:read,media_buys:write)';
const expiresHelp = 'when it ends: a time such as 12h or 30d, or a date (default: 90 days)';

function registerAdd(principals: Command, deps: CliDeps): void {
  withTarget(principals.command('add'))
    .description('make a principal and its first token, which is shown this once')
    .argument('<name>', 'its name here')
    .addOption(
      new Option('--kind <kind>').choices(['buyer', 'brand', 'person', 'service']).makeOptionMandatory(),
    )
    .option('--jwks <file or url>', 'the public keys that it signs with')
    .option('--rsa', 'its keys may sign with rsa-pss-sha512')
    .option('--agent-url <url>', 'address of the agent that signs')
    .addOption(new Option('--dialect <dialect>', 'of keys marked for both').choices(['ads', 'adcp']))
    .option('--brand-domain <domain>', "of a brand's own agent: the brand's domain")
    .option('--allow <permissions>', allowHelp)
    .option('--expires <when>', expiresHelp)
    .option('--legacy', 'may register legacy webhook authentication unsigned')
    .option('--transitional', 'may change things unsigned although it speaks 3.1')
    .option('--basic', 'a name and a password instead of a bearer token')
    .addOption(identityOptions.issuer)
    .addOption(identityOptions.subject)
    .addOption(identityOptions.certificate)
    .action(async (name: string, options: AddOptions) =>
      finish(deps, options, await add(deps, name, options)),
    );
}

async function add(deps: CliDeps, name: string, options: AddOptions): Promise<Outcome> {
  const keys = await keysFrom(deps, options.jwks);
  if (!keys.ok) return keys;
  const common = limits(options);
  if (!common.ok) return common;
  const identity = identityFrom(options);
  if (!identity.ok) return identity;
  const row: JsonObject = {
    name,
    kind: options.kind,
    ...keys.value,
    ...common.value,
    scheme: options.basic === true ? 'basic' : identity.value === undefined ? 'bearer' : 'none',
    ...(identity.value === undefined ? {} : { identity: identity.value }),
    ...(options.rsa === true ? { allows_rsa_pss: true } : {}),
    ...(options.agentUrl === undefined ? {} : { agent_url: options.agentUrl }),
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
    ...(options.brandDomain === undefined ? {} : { brand_domain: options.brandDomain }),
    ...(options.legacy === true ? { legacy: true } : {}),
    ...(options.transitional === true ? { transitional: true } : {}),
  };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/principals', row);
    if (!answer.ok) return answer;
    return ok({ json: credential(answer.value), text: credentialText(name, answer.value) });
  });
}

function list(deps: CliDeps, options: TargetOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get('/v1/principals');
    if (!answer.ok) return answer;
    const principals = objectsIn(answer.value['principals']);
    const rows = principals.map((one) => [
      one['name'],
      one['kind'],
      one['principal_id'],
      one['revoked_at'] === undefined ? 'active' : 'revoked',
      objectsIn(one['tokens'])
        .map((token) => cell(token['expires_at']))
        .at(-1),
    ]);
    return ok({
      json: principals,
      text: table(deps, ['Name', 'Kind', 'Principal', 'State', 'Newest token ends'], rows),
    });
  });
}

async function addToken(deps: CliDeps, name: string, options: TokenOptions): Promise<Outcome> {
  const common = limits(options);
  if (!common.ok) return common;
  const row = { ...common.value, ...(options.basic === true ? { scheme: 'basic' } : {}) };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/principals/${encodeURIComponent(name)}/tokens`, row);
    if (!answer.ok) return answer;
    return ok({ json: credential(answer.value), text: credentialText(name, answer.value) });
  });
}

async function rotate(deps: CliDeps, name: string, options: RotateOptions): Promise<Outcome> {
  const common = limits(options);
  if (!common.ok) return common;
  const overlap = secondsFrom(options.overlap, '--overlap');
  if (!overlap.ok) return overlap;
  const row: JsonObject = {
    ...common.value,
    ...(overlap.value === undefined ? {} : { overlap_seconds: overlap.value }),
    ...(options.tokenId === undefined ? {} : { token_id: options.tokenId }),
  };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/principals/${encodeURIComponent(name)}/rotate`, row);
    if (!answer.ok) return answer;
    const until = answer.value['previous_until'] ?? null;
    const text = `${credentialText(name, answer.value)}\nThe old one is good until ${cell(until)}.`;
    return ok({ json: { ...credential(answer.value), previous_until: until }, text });
  });
}

async function revoke(deps: CliDeps, name: string | undefined, options: RevokeOptions): Promise<Outcome> {
  const { tokenId } = options;
  if ((name === undefined) === (tokenId === undefined)) {
    return err({ message: 'Name a principal, or a token with --token-id.' });
  }
  const path =
    name === undefined
      ? `/v1/tokens/${encodeURIComponent(tokenId ?? '')}`
      : `/v1/principals/${encodeURIComponent(name)}`;
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.remove(path);
    if (!answer.ok) return answer;
    return ok({ json: answer.value, text: `${cell(name ?? tokenId)} is revoked, from the next request on.` });
  });
}

function limits(options: {
  readonly allow?: string;
  readonly expires?: string;
}): Result<JsonObject, CliFailure> {
  const permissions = readPermissions(options.allow);
  if (!permissions.ok) return permissions;
  const ttl = secondsFrom(options.expires, '--expires');
  if (!ttl.ok) return ttl;
  return ok({
    ...(permissions.value === undefined ? {} : { permissions: permissions.value }),
    ...(ttl.value === undefined ? {} : { ttl_seconds: ttl.value }),
  });
}

/** What scripts read: the principal and its secret, and nothing else. */
function credential(answer: JsonObject): JsonObject {
  const { principal_id: id, token, username, password } = answer;
  const pair = username === undefined || password === undefined ? undefined : { username, password };
  return { principal_id: id ?? null, ...(pair ?? { token: token ?? null }) };
}

function credentialText(name: string, answer: JsonObject): string {
  const { principal_id: id, token, username, password, expires_at: until } = answer;
  const lines = [`Principal  ${cell(name)} (${cell(id)})`];
  if (token !== undefined) lines.push(`Token      ${cell(token)}`);
  if (username !== undefined) lines.push(`User       ${cell(username)}`, `Password   ${cell(password)}`);
  if (until !== undefined) lines.push(`Until      ${cell(until)}`, 'It is not shown again.');
  return lines.join('\n');
}
