import { Buffer } from 'node:buffer';
import {
  streamText,
  verifyStream,
  type Anchor,
  type Block,
  type OpenStream,
  type StreamVerdict,
  type WritableStream,
} from '@switchyard/journal';
import { isJsonObject, parseStrictJson } from '@switchyard/values';

export const custodyFormat = 'switchyard.custody.export.1';

/** Returns a principal's whole chain as the text of one document. Each part can be verified alone. */
export function custodyExport(stream: WritableStream): AsyncGenerator<string> {
  return streamText(custodyFormat, stream);
}

/** The result of verifying a chain of custody. For a broken chain, `record` is the id of the first changed record. */
type CustodyVerdict = StreamVerdict & { readonly record?: string };

/**
 * Verifies a chain of custody from its first block, and that it contains `anchors` (docs/protocol/relay.md#custody).
 * `watch` sees the text of each record. Throws `UnreadableBlock` if a block of an export cannot be read.
 */
export async function verifyCustody(
  { head, blocks }: OpenStream,
  anchors: readonly Anchor[] = [],
  watch?: (body: string) => void,
): Promise<CustodyVerdict> {
  let last: Block | undefined;
  async function* walked(): AsyncGenerator<Block> {
    for await (const block of blocks) {
      last = block;
      if (watch !== undefined) for (const { body } of block.entries) watch(body);
      yield block;
    }
  }
  const verdict = await verifyStream(walked(), head, anchors);
  if (verdict.ok) return verdict;
  const { number, entry = 0 } = verdict.at;
  const body = last?.number === number ? last.entries[entry]?.body : undefined;
  const record = body === undefined ? undefined : idIn(body);
  return record === undefined ? verdict : { ...verdict, record };
}

/** Returns the id in a record's text, or `undefined` if the text is not a JSON object with an id. */
function idIn(body: string): string | undefined {
  const parsed = parseStrictJson(Buffer.from(body, 'utf8'));
  const id = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
