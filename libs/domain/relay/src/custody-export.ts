import { Buffer } from 'node:buffer';
import {
  readStreamDocument,
  streamDocument,
  verifyStream,
  type Block,
  type StreamHead,
  type StreamVerdict,
} from '@switchyard/journal';
import {
  isJsonObject,
  ok,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';

export const custodyFormat = 'switchyard.custody.export.1';

/**
 * A principal's whole chain as one JSON document: whoever holds it can walk it with SHA-256 and a JSON reader alone.
 */
export function custodyExport(blocks: readonly Block[], head: StreamHead): JsonObject {
  return streamDocument(custodyFormat, { blocks, head });
}

/** What a walk along a chain of custody came to; of a broken one also the first record that is not as it was. */
export type CustodyVerdict = StreamVerdict & { readonly record?: string };

/** Walks an export without asking anybody. The fault names the member of the document where reading ended. */
export async function verifyCustodyExport(
  document: JsonValue,
): Promise<Result<CustodyVerdict, { readonly field: string }>> {
  const read = readStreamDocument(custodyFormat, document);
  if (!read.ok) return read;
  return ok(await verifyCustody(read.value.blocks, read.value.head));
}

/** Walks a chain of custody from its first block (docs/protocol/relay.md#custody). */
export async function verifyCustody(blocks: readonly Block[], head: StreamHead): Promise<CustodyVerdict> {
  const verdict = await verifyStream(blocks, head);
  if (verdict.ok) return verdict;
  const { number, entry = 0 } = verdict.at;
  const body = blocks.find((block) => block.number === number)?.entries[entry]?.body;
  const record = body === undefined ? undefined : idIn(body);
  return record === undefined ? verdict : { ...verdict, record };
}

/** The id in a record's text; nothing where the text was changed beyond reading. */
function idIn(body: string): string | undefined {
  const parsed = parseStrictJson(Buffer.from(body, 'utf8'));
  const id = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
