import { canonicalJson, isJsonObject, isoOf, type JsonObject, type JsonValue } from '@switchyard/values';
import type { EntryDraft } from './entry-draft.js';

/** The members of an entry's body. In the text, names are snake case and amounts are decimal text of micros. */
export interface EntryBody {
  readonly id: string;
  readonly kind: string;
  readonly operationId: string;
  readonly mediaBuyId: string | null;
  readonly seller: string;
  readonly occurredAt: string;
  readonly postings: readonly BodyPosting[];
  readonly facts: JsonObject;
}

interface BodyPosting {
  readonly account: string;
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
}

const format = 1;
const microsText = /^-?\d{1,19}$/;

/** The canonical text (RFC 8785) of an entry. It is hashed, and an exported ledger is verified by it. */
export function bodyOfEntry(draft: EntryDraft): string {
  return canonicalJson({
    format,
    id: draft.id,
    kind: draft.kind,
    operation_id: draft.operationId,
    media_buy_id: draft.mediaBuyId ?? null,
    seller: draft.seller,
    occurred_at: isoOf(draft.occurredAt),
    postings: draft.postings.map((posting) => ({
      account: posting.account,
      day: posting.day,
      currency: posting.currency,
      amount_micros: posting.amountMicros.toString(),
    })),
    facts: draft.facts,
  });
}

/** Parses a body; undefined where the text is no entry of this format. */
export function readEntryBody(text: string): EntryBody | undefined {
  const value = parsed(text);
  if (!isJsonObject(value) || value['format'] !== format) return undefined;
  const { id, kind, operation_id, media_buy_id, seller, occurred_at, postings, facts } = value;
  if (typeof id !== 'string' || typeof kind !== 'string' || typeof operation_id !== 'string')
    return undefined;
  if (typeof seller !== 'string' || typeof occurred_at !== 'string') return undefined;
  if (media_buy_id !== null && typeof media_buy_id !== 'string') return undefined;
  if (!isJsonObject(facts) || !Array.isArray(postings)) return undefined;
  const lines = postings.map(readPosting);
  if (!lines.every((line) => line !== undefined)) return undefined;
  return {
    id,
    kind,
    operationId: operation_id,
    mediaBuyId: media_buy_id,
    seller,
    occurredAt: occurred_at,
    postings: lines,
    facts,
  };
}

function readPosting(value: JsonValue): BodyPosting | undefined {
  if (!isJsonObject(value)) return undefined;
  const { account, day, currency, amount_micros } = value;
  if (typeof account !== 'string' || typeof day !== 'string' || typeof currency !== 'string')
    return undefined;
  if (typeof amount_micros !== 'string' || !microsText.test(amount_micros)) return undefined;
  return { account, day, currency, amountMicros: BigInt(amount_micros) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
