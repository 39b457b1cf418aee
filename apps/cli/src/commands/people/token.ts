import { InvalidArgumentError, type Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { InstanceClient } from '../../instance-client.js';
import { printing, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { adminClient, localInstance, withTarget, type TargetOptions } from '../../target.js';

interface TokenOptions extends TargetOptions {
  readonly ttl?: number;
  readonly principal?: string;
}

/** `token`: the addresses of the instance and a token for them. Waits until the sellers of this start are live. */
export function registerToken(program: Command, deps: CliDeps): void {
  withTarget(program.command('token'))
    .description('print the addresses of the running instance and a token for them')
    .option('--ttl <seconds>', 'lifetime of the token (default: 24 hours)', wholeSeconds)
    .option('--principal <name>', 'principal (default: the operator of this instance)')
    .action(printing(deps, token));
}

async function token(deps: CliDeps, options: TokenOptions): Promise<Outcome> {
  const client = tokenIssuer(deps, options);
  if (!client.ok) return client;
  const query: JsonObject = {
    ...(options.ttl === undefined ? {} : { ttl_seconds: options.ttl }),
    ...(options.principal === undefined ? {} : { principal: options.principal }),
  };
  const answer = await client.value.post('/v1/tokens', query);
  if (!answer.ok) return answer;
  const { url, mcp_url: mcpUrl, a2a_url: a2aUrl, token: text, expires_at: until } = answer.value;
  const lines = [
    `Address  ${cell(url)}`,
    `MCP      ${cell(mcpUrl)}`,
    `A2A      ${cell(a2aUrl)}`,
    `Token    ${cell(text)}`,
    `Until    ${cell(until)}`,
  ];
  return ok({ json: { url, mcp_url: mcpUrl, a2a_url: a2aUrl, token: text }, text: lines.join('\n') });
}

function tokenIssuer(deps: CliDeps, options: TokenOptions): ReturnType<typeof adminClient> {
  const own = options.token ?? deps.env['SWITCHYARD_TOKEN'];
  if (options.url !== undefined) return ok(new InstanceClient(options.url.replace(/\/+$/, ''), own));
  const local = localInstance(deps, options);
  if (!local.ok) return local;
  return options.token === undefined
    ? adminClient(local.value)
    : ok(new InstanceClient(local.value.url, options.token));
}

function wholeSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < 1) throw new InvalidArgumentError('Give whole seconds.');
  return seconds;
}
