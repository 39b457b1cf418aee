import { askBuys, type FormatsAt } from '@switchyard/buys';
import { formatKey, listCreativeFormats, type ListCreativeFormatsRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { isJsonObject } from '@switchyard/values';
import type { HandledCall, HandlerParts } from './handler.js';

/** How long a sync waits for sellers to say which formats they take, in milliseconds. */
const patienceMs = 5_000;

/**
 * Which formats sellers list: asked where it was not asked lately, because what they list changes, and a sync goes to
 * those alone that take it. A seller that does not answer in time is treated as one that lists nothing, for a minute.
 */
export function formatsAt(
  parts: Pick<HandlerParts, 'ports' | 'formatShelf'>,
  { call, scope, principal }: Pick<HandledCall<unknown>, 'call' | 'scope' | 'principal'>,
): FormatsAt {
  return async (connections) => {
    const request: ListCreativeFormatsRequest = {};
    const questions = new Map<Connection, ListCreativeFormatsRequest>(
      connections
        .filter((connection) => parts.formatShelf.at(connection) === undefined)
        .map((connection) => [connection, request]),
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
    const answers = new Map(market.legs.map(({ connection, answer }) => [connection.id, answer]));
    const asked = [...questions.keys()].map((connection) => {
      const formats = answers.get(connection.id)?.formats;
      const listed = formats?.map(({ formatId, original }) => keyOf(formatId, original.value));
      const kept = listed === undefined ? undefined : new Set(listed);
      // Whoever asks and hangs up says nothing about the seller.
      if (kept !== undefined || !call.signal.aborted) parts.formatShelf.keep(connection, kept);
      return [connection.id, kept ?? new Set<string>()] as const;
    });
    const known = connections.map(
      (connection) => [connection.id, parts.formatShelf.at(connection) ?? new Set<string>()] as const,
    );
    return new Map<string, ReadonlySet<string>>([...known, ...asked]);
  };
}

function keyOf(formatId: { readonly agentUrl: string; readonly id: string }, listed: object): string {
  const written = (listed as Readonly<Record<string, unknown>>)['format_id'];
  return formatKey(isJsonObject(written) ? written : { agent_url: formatId.agentUrl, id: formatId.id });
}
