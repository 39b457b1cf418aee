import { Option, type Command } from 'commander';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, finish, type CliFailure, type Outcome, shown } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { readPermissions, secondsFrom, several } from '../../read-options.js';
import { registerSignInPolicy } from './sign-in-policy.js';
import { registerSignInProvider } from './sign-in-provider.js';
import { identityFrom, identityOptions, type IdentityOptions } from './identity-options.js';
import { registerIdentities } from './identities.js';
import { scopeHelp } from './grants.js';
import { keysFrom } from './keys-from.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

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
  readonly role?: readonly string[];
  readonly scope?: readonly string[];
}

interface TokenOptions extends TargetOptions {
  readonly allow?: string;
  readonly expires?: string;
  readonly basic?: boolean;
}

interface LinkOptions extends TargetOptions {
  readonly expires?: string;
}

interface InviteOptions extends LinkOptions {
  readonly role: string;
  readonly scope: string;
}

interface RotateOptions extends TargetOptions {
  readonly overlap?: string;
  readonly expires?: string;
  readonly tokenId?: string;
}

interface RevokeOptions extends TargetOptions {
  readonly tokenId?: string;
}

const kinds = ['buyer', 'brand', 'person', 'service'];

/** `principals add`, `list`, `token`, `link`, `invite`, `rotate`, `revoke`, `restore`, `identity`, `policy`, `provider`, `erase`. A secret is printed only once. */
export function registerPrincipals(program: Command, deps: CliDeps): void {
  const principals = program.command('principals').description('callers, their tokens and permissions');
  registerAdd(principals, deps);
  registerIdentities(principals, deps);
  registerSignInPolicy(principals, deps);
  registerSignInProvider(principals, deps);
  withTarget(withPages(principals.command('list')))
    .description('list principals and their tokens, without secrets')
    .action(atInstance(deps, list));
  withTarget(principals.command('token'))
    .description('issue another token for a principal')
    .argument('<name>', 'of the principal')
    .option('--allow <permissions>', allowHelp)
    .option('--expires <when>', expiresHelp)
    .option('--basic', 'a name and a password instead of a bearer token')
    .action(printing(deps, addToken));
  withTarget(principals.command('link'))
    .description('make a link with which a person signs in to the console once')
    .argument('<name>', 'of the principal, a person')
    .option('--expires <when>', 'when the link ends: a time such as 2h or 7d (default: 15m)')
    .action(printing(deps, link));
  withTarget(principals.command('invite'))
    .description('create an invitation; its link is mailed if the installation sends mail')
    .argument('<email>', 'with which they will sign in')
    .requiredOption('--role <role>', 'the role that they will have')
    .requiredOption('--scope <scope>', scopeHelp)
    .option('--expires <when>', 'when the invitation ends: a time such as 2h or 7d (default: 7d)')
    .action(printing(deps, invite));
  withTarget(withPages(principals.command('invitations')))
    .description('list open invitations')
    .action(atInstance(deps, invitations));
  request(principals, deps, 'withdraw <id>', {
    describe: 'withdraw an invitation',
    of: 'of the invitation',
    route: 'DELETE /v1/invitations/{id}',
    text: 'The invitation is withdrawn. Its link is no longer valid.',
  });
  withTarget(principals.command('rotate'))
    .description('replace a token with a new one')
    .argument('<name>', 'of the principal')
    .option('--overlap <time>', 'how long the old token stays valid (default: 24h; 0s revokes it at once)')
    .option('--expires <when>', expiresHelp)
    .option('--token-id <id>', 'which token, if there are several')
    .action(printing(deps, rotate));
  withTarget(principals.command('revoke'))
    .description('disable a principal, or revoke one of its tokens, with effect from the next request')
    .argument('[name]', 'of the principal')
    .option('--token-id <id>', 'this token alone')
    .action(printing(deps, revoke));
  request(principals, deps, 'restore <name>', {
    describe: 'switch a revoked principal on again, with its roles and without its old tokens and keys',
    of: 'of the principal',
    route: 'POST /v1/principals/{name}/restore',
    text: (_, { name }) =>
      `${name} is active again, with the roles that it has. Its tokens, keys and programs ended: switchyard principals token ${name} gives a new one.`,
  });
  request(principals, deps, 'erase <name>', {
    describe: 'erase a person that is switched off, a week after another person has approved it',
    of: 'of the person, or its id',
    route: 'POST /v1/principals/{name}/erasure',
    text: ({ job_id: job, due_at: due }) =>
      `Nothing is erased before ${cell(due)}. Until then, keep the person with: switchyard jobs cancel ${cell(job)}`,
  });
}

const allowHelp = 'what it may do: area:kind,... (for example products:read,media_buys:write)';
const expiresHelp = 'when it ends: a time such as 12h or 30d, or a date (default: 90 days)';

function registerAdd(principals: Command, deps: CliDeps): void {
  withTarget(principals.command('add'))
    .description('create a principal and its first token, which is shown once')
    .argument('<name>', 'its name here')
    .addOption(new Option('--kind <kind>').choices(kinds).makeOptionMandatory())
    .option('--jwks <file or url>', 'its public signing keys')
    .option('--rsa', 'its keys may sign with rsa-pss-sha512')
    .option('--agent-url <url>', 'address of the agent that signs')
    .addOption(new Option('--dialect <dialect>', 'of keys marked for both').choices(['ads', 'adcp']))
    .option('--brand-domain <domain>', "of a brand's own agent: the brand's domain")
    .option('--allow <permissions>', allowHelp)
    .option(
      '--role <role>',
      'a role that it has in the --scope after it; may be given several times',
      several,
    )
    .option('--scope <scope>', scopeHelp, several)
    .option('--expires <when>', expiresHelp)
    .option('--legacy', 'may register legacy webhook authentication in unsigned requests')
    .option('--transitional', 'may send changes unsigned although it uses 3.1')
    .option('--basic', 'a name and a password instead of a bearer token')
    .addOption(identityOptions.issuer)
    .addOption(identityOptions.subject)
    .addOption(identityOptions.certificate)
    .action(async (name: string, options: AddOptions, command: Command) => {
      const [roles, scopes] = [options.role?.length ?? 0, options.scope?.length ?? 0];
      if (roles > scopes)
        command.error("error: each --role needs a --scope: option '--scope <scope>' is missing");
      if (scopes > roles)
        command.error("error: each --scope needs a --role: option '--role <role>' is missing");
      finish(deps, options, await add(deps, name, options));
    });
}

async function add(deps: CliDeps, name: string, options: AddOptions): Promise<Outcome> {
  const keys = await keysFrom(deps, options.jwks);
  if (!keys.ok) return keys;
  const common = limits(options);
  if (!common.ok) return common;
  const identity = identityFrom(options);
  if (!identity.ok) return identity;
  const { role: roles = [], scope: scopes = [] } = options;
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
    ...(roles.length > 0 && { grants: roles.map((role, at) => ({ role, scope: scopes[at] ?? '' })) }),
    ...(options.legacy === true ? { legacy: true } : {}),
    ...(options.transitional === true ? { transitional: true } : {}),
  };
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/principals', row);
    if (!answer.ok) return answer;
    return ok({ json: credential(answer.value), text: credentialText(name, answer.value) });
  });
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/principals',
    name: 'principals',
    columns: {
      Name: 'name',
      Kind: 'kind',
      Principal: 'principal_id',
      State: (row) => (row['revoked_at'] === undefined ? 'active' : 'revoked'),
      'Newest token ends': (row) =>
        objectsIn(row['tokens'])
          .map((token) => cell(token['expires_at']))
          .at(-1),
    },
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

async function link(deps: CliDeps, name: string, options: LinkOptions): Promise<Outcome> {
  const ttl = secondsFrom(options.expires, '--expires');
  if (!ttl.ok) return ttl;
  const row: JsonObject = ttl.value === undefined ? {} : { ttl_seconds: ttl.value };
  return onInstance(deps, options, (instance) =>
    shown(
      instance.post(`/v1/principals/${encodeURIComponent(name)}/sign-in-links`, row),
      ({ link: address, expires_at }) => `${cell(address)}\nIt signs in once, until ${cell(expires_at)}.`,
    ),
  );
}

async function invite(
  deps: CliDeps,
  email: string,
  { role, scope, expires, ...options }: InviteOptions,
): Promise<Outcome> {
  const ttl = secondsFrom(expires, '--expires');
  if (!ttl.ok) return ttl;
  const row = { email, role, scope, ...(ttl.value !== undefined && { ttl_seconds: ttl.value }) };
  return onInstance(deps, options, (instance) =>
    shown(instance.post('/v1/invitations', row), ({ link: address, expires_at, ended, mailed }) => {
      const mail = mailed === true ? 'and it is mailed to the address' : 'and no mail is sent';
      const before = Array.isArray(ended) ? ' The link of the previous invitation is no longer valid.' : '';
      return `${cell(address)}\nIt lets ${cell(email)} in once, until ${cell(expires_at)}. It is not shown again, ${mail}.${before}`;
    }),
  );
}

function invitations(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/invitations',
    name: 'invitations',
    query: { open: 'true' },
    columns: {
      'E-mail': 'email',
      Role: 'role',
      Scope: 'scope',
      Ends: 'expires_at',
      Invitation: 'invitation_id',
    },
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
    const text = `${credentialText(name, answer.value)}\nThe old token is valid until ${cell(until)}.`;
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
  return onInstance(deps, options, (instance) =>
    shown(
      instance.remove(path),
      () => `${cell(name ?? tokenId)} is revoked, with effect from the next request.`,
    ),
  );
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

/** The output for scripts: only the principal and its secret. */
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
