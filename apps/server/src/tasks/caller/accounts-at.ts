import { queryBuys, type AccountsAt } from '@switchyard/buys';
import { listAccounts, type ListAccountsRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { HandledCall, HandlerDeps } from '../handler.js';

/** How long a buy waits for sellers to say how our accounts stand, in milliseconds. */
const patienceMs = 3_000;

/** Asks sellers that have the task how our accounts with them stand. One that keeps silent says nothing. */
export function accountsAt(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { call, scope, principal }: Pick<HandledCall<unknown>, 'call' | 'scope' | 'principal'>,
): AccountsAt {
  return async (connections) => {
    const requested = connections.filter(({ tools }) => Object.hasOwn(tools ?? {}, listAccounts.name));
    const questions = new Map<Connection, ListAccountsRequest>(
      requested.map((connection) => [connection, { maxResults: 100 }]),
    );
    const query = {
      scope,
      deadlineMs: patienceMs,
      signal: call.signal,
      ...(principal === undefined ? {} : { principalId: principal.principalId }),
    };
    const { legs } = await queryBuys(ports, query, {
      spec: listAccounts,
      requests: questions,
      count: ({ accounts }) => accounts.length,
    });
    return new Map(legs.map(({ connection, answer }) => [connection.id, answer?.accounts ?? []]));
  };
}
