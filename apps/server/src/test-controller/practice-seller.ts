import { randomUUID } from 'node:crypto';
import { targetOf } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import { testControllerTool } from '../tasks/ports/test-controller.js';
import { refusedAs } from './answers.js';
import type { TestControllerDeps } from './test-control.js';

const lookMs = 10_000;

/** True for a live connection to a seller of the sandbox market that offers the tool. */
export function rehearses({ isSandbox, state, tools }: Connection): boolean {
  return isSandbox && state === 'live' && tools !== undefined && Object.hasOwn(tools, testControllerTool);
}

/** Calls the sandbox seller's own tool. A failed call is an answer of that tool as well. */
export async function querySandbox(
  ports: Pick<TestControllerDeps, 'transport' | 'lease' | 'clock'>,
  {
    scope,
    connection,
    args,
  }: { readonly scope: TenantScope; readonly connection: Connection; readonly args: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  const secrets = await ports.lease(scope, [connection], {
    operationId: randomUUID(),
    purpose: testControllerTool,
  });
  if (!secrets.ok) return refusedAs('INTERNAL_ERROR', secrets.error.message);
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal.addEventListener('abort', end, { once: true });
  const cancel = ports.clock.after(lookMs, end);
  const target = targetOf(connection, secrets.value.get(connection.id)?.credential);
  const reported = await ports.transport
    .call(target, { tool: testControllerTool, args }, stop.signal)
    .finally(() => {
      cancel();
      signal.removeEventListener('abort', end);
    });
  return reported.ok
    ? reported.value.payload
    : refusedAs('INTERNAL_ERROR', 'The sandbox seller did not answer.');
}
