import { isJsonObject, isoOf, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';
import type { StreamHead } from './head.js';

/** A head that is signed and handed out: what a stream has to pass through ever after. */
export interface HeadAnchor {
  readonly head: StreamHead;
  readonly madeAt: Instant;
}

/** What somebody who kept an anchor knows of the head. */
export interface NotedHead extends Pick<StreamHead, 'stream' | 'number' | 'hash'> {
  readonly madeAt: Instant;
}

/** Anchors of this format may be published: they say nothing of how much the stream holds. */
export const anchorFormat = 'switchyard.journal.anchor.2';
/** Anchors of before, which name the number of entries as well: they are read, and not published. */
const formerFormat = 'switchyard.journal.anchor.1';
/** `typ` of the JWS (RFC 7515) that an anchor is handed out as. */
export const anchorType = 'switchyard-anchor+jws';

/** The members that are signed. Numbers are text, times are RFC 3339. */
export function anchorDocument({ head, madeAt }: HeadAnchor): JsonObject {
  return {
    format: anchorFormat,
    stream: head.stream,
    number: head.number.toString(),
    hash: head.hash,
    made_at: isoOf(madeAt),
  };
}

/** Reads the payload of such a JWS. `undefined` where it is none. */
export function readAnchorDocument(document: JsonValue): NotedHead | undefined {
  if (!isJsonObject(document)) return undefined;
  const { format, stream, number, hash, made_at: made } = document;
  if (format !== anchorFormat && format !== formerFormat) return undefined;
  if (typeof stream !== 'string' || typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash))
    return undefined;
  if (typeof number !== 'string' || !/^\d{1,18}$/.test(number) || typeof made !== 'string') return undefined;
  const madeAt = Date.parse(made);
  return Number.isNaN(madeAt) ? undefined : { stream, number: BigInt(number), hash, madeAt };
}
