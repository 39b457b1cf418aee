import type { Buffer } from 'node:buffer';
import type { SellerAnswer } from '@switchyard/sellers';
import { atOnce, exceedsBounds, isJsonObject, type JsonObject } from '@switchyard/values';
import { mergeA2aResults } from './a2a-raw.js';
import { answerBounds } from './exchange.js';
import { mostEvents } from './event-stream.js';
import { jsonRpcFailure } from './json-rpc-failure.js';
import { storableAnswer } from './storable-answer.js';
import { mcpPayload } from './payload.js';

/** `not_executed`: the seller's JSON-RPC layer refused the request, so no task ran. */
export type AnswerInBytes =
  | { readonly kind: 'answer'; readonly answer: SellerAnswer }
  | { readonly kind: 'not_executed' }
  | { readonly kind: 'unreadable' };

/**
 * Reads a task's answer from relayed bytes: one JSON document, or an event stream with JSON events. Only messages with
 * the id of the request count. Never throws, whatever the bytes are.
 */
export function readAnswerBytes(
  protocol: 'mcp' | 'a2a',
  rpcId: string | number,
  contentType: string,
  bytes: Buffer,
): AnswerInBytes {
  const messages = messagesIn(contentType, bytes).filter((message) => message['id'] === rpcId);
  const failed = messages.findLast((message) => isJsonObject(message['error']));
  if (failed !== undefined) return ofError(failed['error']);
  const results = messages.flatMap(({ result }) => (isJsonObject(result) ? [result] : []));
  const answer = protocol === 'mcp' ? mcpAnswer(results.at(-1)) : mergeA2aResults(results);
  return answer === undefined ? { kind: 'unreadable' } : { kind: 'answer', answer: storableAnswer(answer) };
}

function mcpAnswer(result: JsonObject | undefined): SellerAnswer | undefined {
  const payload = result === undefined ? undefined : atOnce(mcpPayload(result));
  return payload === undefined || payload === 'too_large'
    ? undefined
    : { payload, isError: result?.['isError'] === true };
}

function ofError(error: unknown): AnswerInBytes {
  const { code, data } = isJsonObject(error) ? error : ({} as JsonObject);
  if (typeof code !== 'number') return { kind: 'unreadable' };
  const read = jsonRpcFailure(code, data);
  if ('answer' in read) return { kind: 'answer', answer: storableAnswer(read.answer) };
  return { kind: read.delivered === 'no' ? 'not_executed' : 'unreadable' };
}

function messagesIn(contentType: string, bytes: Buffer): JsonObject[] {
  const text = bytes.toString('utf8');
  const documents = /^text\/event-stream\b/i.test(contentType) ? eventsIn(text) : [text];
  return documents.flatMap((document) => {
    if (exceedsBounds(document, answerBounds)) return [];
    try {
      const parsed: unknown = JSON.parse(document);
      return isJsonObject(parsed) ? [parsed] : [];
    } catch {
      return [];
    }
  });
}

/** The data of each event of an ended stream (WHATWG, server-sent events). None, if there are more than are read. */
function eventsIn(text: string): string[] {
  const events = text.replace(/^\uFEFF/, '').split(/\r\n\r\n|\n\n|\r\r/, mostEvents + 1);
  if (events.length > mostEvents) return [];
  return events
    .map((event) =>
      event
        .split(/\r\n|\n|\r/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(line.startsWith('data: ') ? 6 : 5))
        .join('\n'),
    )
    .filter((data) => data !== '');
}
