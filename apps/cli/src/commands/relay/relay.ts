import type { Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface AddressOptions extends TargetOptions {
  readonly principal?: string;
}

const names = ['relay_mcp_url', 'relay_a2a_url', 'seller_mcp_url', 'seller_a2a_url', 'callback_url'] as const;

/** `relay address SLUG`: where to send a sealed request, what to sign, and where the seller may call back. */
export function registerRelay(program: Command, deps: CliDeps): void {
  const relay = program.command('relay').description('forward requests that a brand signed for a seller');
  withTarget(relay.command('address'))
    .description('where to send, for which address to sign, and where the seller may call back')
    .argument('<slug>', 'of the seller')
    .option('--principal <id>', 'principal of the brand (default: the principal of the token)')
    .action(atInstance(deps, address));
}

async function address({ instance, options }: At<AddressOptions>, slug: string): Promise<Outcome> {
  const query =
    options.principal === undefined ? '' : `?principal_id=${encodeURIComponent(options.principal)}`;
  const answer = await instance.get(`/v1/relay/${encodeURIComponent(slug)}/address${query}`);
  if (!answer.ok) return answer;
  const json: JsonObject = Object.fromEntries(names.map((name) => [name, answer.value[name] ?? null]));
  const lines = [
    `Send to      ${cell(json['relay_mcp_url'] ?? json['relay_a2a_url'])}`,
    `Sign for     ${cell(json['seller_mcp_url'] ?? json['seller_a2a_url'])}`,
    `Call back    ${cell(json['callback_url'])}`,
  ];
  return ok({ json, text: lines.join('\n') });
}
