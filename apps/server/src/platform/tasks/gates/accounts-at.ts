import { queryBuys, type AccountsAt } from '@switchyard/buys';
import { listAccounts, type ListAccountsRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { HandledCall, HandlerDeps } from '../call/handler.js';

/** How long a buy waits for sellers to report the status of our accounts, in milliseconds. */
const timeoutMs = 3_000;

/** Reads the status of our accounts from sellers that have the task. A seller without an answer is left out. */
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
      deadlineMs: timeoutMs,
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
