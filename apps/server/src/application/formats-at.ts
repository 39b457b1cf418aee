import { askBuys, type FormatsAt } from '@switchyard/buys';
import { formatKey, listCreativeFormats, type ListCreativeFormatsRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { isJsonObject } from '@switchyard/values';
import type { HandledCall, HandlerParts } from './handler.js';

/** How long a sync waits for sellers to say which formats they take, in milliseconds. */
const patienceMs = 5_000;

/**
 * Asks sellers which formats they list, now: what they list changes, and a sync goes to those alone that take it. A
 * seller that does not answer in time is treated as one that lists nothing, and is synced with the next request.
 */
export function formatsAt(parts: HandlerParts, { call, scope, principal }: HandledCall<unknown>): FormatsAt {
  return async (connections) => {
    const request: ListCreativeFormatsRequest = {};
    const questions = new Map<Connection, ListCreativeFormatsRequest>(
      connections.map((connection) => [connection, request]),
    );
    const ask = {
      scope,
      deadlineMs: patienceMs,
      signal: call.signal,
      ...(principal === undefined ? {} : { principalId: principal.principalId }),
    };
    const market = await askBuys(
      parts.ports,
      ask,
      listCreativeFormats,
      questions,
      ({ formats }) => formats.length,
    );
    return new Map(
      market.legs.map(({ connection, answer }) => [
        connection.id,
        new Set((answer?.formats ?? []).map(({ formatId, original }) => keyOf(formatId, original.value))),
      ]),
    );
  };
}

function keyOf(formatId: { readonly agentUrl: string; readonly id: string }, listed: object): string {
  const written = (listed as Readonly<Record<string, unknown>>)['format_id'];
  return formatKey(isJsonObject(written) ? written : { agent_url: formatId.agentUrl, id: formatId.id });
}
