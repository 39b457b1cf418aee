import { createHash } from 'node:crypto';
import {
  canonicalJson,
  isJsonObject,
  isoOf,
  type Instant,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';
import type { StreamHead } from './head.js';

/** A head that is signed and published. The stream must contain it from then on. */
export interface HeadAnchor {
  readonly head: StreamHead;
  readonly madeAt: Instant;
  /** SHA-256 of what an export contains beside the chain, which is signed with the head (`hashOfBeside`). */
  readonly besideHash?: string;
}

/** The members of a head that an anchor contains. */
export interface NotedHead extends Pick<StreamHead, 'stream' | 'number' | 'hash'> {
  readonly madeAt: Instant;
  readonly besideHash?: string;
}

/** SHA-256 of the canonical text (RFC 8785) of what an export contains beside its chain and its signed heads. */
export function hashOfBeside({ anchors: _anchors, ...beside }: JsonObject): string {
  return createHash('sha256').update(canonicalJson(beside), 'utf8').digest('hex');
}

/** Anchors of this format may be published: they do not reveal the number of entries. */
export const anchorFormat = 'switchyard.journal.anchor.2';
/** The previous format, which has the number of entries: it is read, and no longer published. */
const formerFormat = 'switchyard.journal.anchor.1';
/** `typ` of the JWS (RFC 7515) of an anchor. */
export const anchorType = 'switchyard-anchor+jws';

/** The members that are signed. Numbers are text, times are RFC 3339. */
export function anchorDocument({ head, madeAt, besideHash }: HeadAnchor): JsonObject {
  return {
    format: anchorFormat,
    stream: head.stream,
    number: head.number.toString(),
    hash: head.hash,
    made_at: isoOf(madeAt),
    ...(besideHash !== undefined && { beside_sha256: besideHash }),
  };
}

/** Reads the payload of such a JWS; undefined where it is invalid. */
export function readAnchorDocument(document: JsonValue): NotedHead | undefined {
  if (!isJsonObject(document)) return undefined;
  const { format, stream, number, hash, made_at: made, beside_sha256: beside } = document;
  if (format !== anchorFormat && format !== formerFormat) return undefined;
  if (typeof stream !== 'string' || typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash))
    return undefined;
  if (typeof number !== 'string' || !/^\d{1,18}$/.test(number) || typeof made !== 'string') return undefined;
  const madeAt = Date.parse(made);
  if (Number.isNaN(madeAt) || (beside !== undefined && typeof beside !== 'string')) return undefined;
  return {
    stream,
    number: BigInt(number),
    hash,
    madeAt,
    ...(beside !== undefined && { besideHash: beside }),
  };
}
