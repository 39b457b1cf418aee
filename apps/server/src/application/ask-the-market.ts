import { leaseCredentials } from '@switchyard/buys';
import { askMarket, type MarketAnswer } from '@switchyard/fanout';
import type { TaskSpec } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { HandledCall, HandlerParts } from './handler.js';
import { patienceOf } from './patience.js';

export interface MarketAsked<Answer> extends MarketAnswer<Answer> {
  readonly operationId: string;
}

/** Puts a read to every seller of the caller's organization. A caller without credentials asks without ours. */
export async function askTheMarket<Request, Answer>(
  { ports }: HandlerParts,
  { call, scope, request, args, principal }: HandledCall<Request>,
  spec: TaskSpec<Request, Answer>,
  count: (answer: Answer) => number,
): Promise<MarketAsked<Answer>> {
  const operationId = ports.ids.uuid();
  const all = await ports.connections.list(scope);
  const signer =
    principal === undefined
      ? undefined
      : ports.signerFor?.(scope, principal.principalId, { operationId, purpose: spec.name });
  const market = await askMarket<Request, Answer>({
    spec,
    request,
    connections: principal === undefined ? all.map(withoutCredential) : all,
    transport: ports.transport,
    ...(signer === undefined ? {} : { signer }),
    leaseCredentials: (connections) => leaseCredentials(ports, scope, connections, operationId, spec.name),
    breakers: ports.breakers,
    bulkhead: ports.bulkhead,
    clock: ports.clock,
    signal: call.signal,
    deadlineMs: patienceOf(args, spec.deadlineMs),
    count,
    ...(call.onSeller === undefined ? {} : { onSeller: call.onSeller }),
  });
  return { ...market, operationId };
}

/** What a seller shows anybody is all that a caller without credentials may see: ours stay in the vault (ruling 3). */
function withoutCredential(connection: Connection): Connection {
  const { credentialId: _kept, account: _too, ...bare } = connection;
  return bare;
}
