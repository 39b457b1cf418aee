import { randomUUID } from 'node:crypto';
import { targetOf } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import { rehearsalTool } from '../tasks/ports/rehearsal.js';
import { refusedAs } from './answers.js';
import type { RehearsalParts } from './rehearsing.js';

const lookMs = 10_000;

/** True for a live connection to a seller of the practice market that offers the tool. */
export function rehearses({ isSandbox, state, tools }: Connection): boolean {
  return isSandbox && state === 'live' && tools !== undefined && Object.hasOwn(tools, rehearsalTool);
}

/** Calls the practice seller's own tool. What keeps it from answering is an answer of that tool as well. */
export async function askPractice(
  ports: Pick<RehearsalParts, 'transport' | 'lease' | 'clock'>,
  scope: TenantScope,
  connection: Connection,
  args: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const secrets = await ports.lease(scope, [connection], {
    operationId: randomUUID(),
    purpose: rehearsalTool,
  });
  if (!secrets.ok) return refusedAs('INTERNAL_ERROR', secrets.error.message);
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal.addEventListener('abort', end, { once: true });
  const cancel = ports.clock.after(lookMs, end);
  const target = targetOf(connection, secrets.value.get(connection.id)?.credential);
  const said = await ports.transport.call(target, { tool: rehearsalTool, args }, stop.signal).finally(() => {
    cancel();
    signal.removeEventListener('abort', end);
  });
  return said.ok ? said.value.payload : refusedAs('INTERNAL_ERROR', 'The sandbox seller did not answer.');
}
