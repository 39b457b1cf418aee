import { Buffer } from 'node:buffer';
import {
  streamText,
  verifyStream,
  type Block,
  type OpenStream,
  type StreamVerdict,
} from '@switchyard/journal';
import { isJsonObject, parseStrictJson } from '@switchyard/values';

export const custodyFormat = 'switchyard.custody.export.1';

/** A principal's whole chain as the text of one document that verifies by itself, part by part. */
export function custodyExport(stream: OpenStream): AsyncGenerator<string> {
  return streamText(custodyFormat, stream);
}

/** What a walk along a chain of custody came to; of a broken one also the first record that is not as it was. */
export type CustodyVerdict = StreamVerdict & { readonly record?: string };

/**
 * Walks a chain of custody from its first block (docs/protocol/relay.md#custody). Throws `UnreadableBlock` where a block
 * of an export cannot be read.
 */
export async function verifyCustody({ head, blocks }: OpenStream): Promise<CustodyVerdict> {
  let last: Block | undefined;
  async function* walked(): AsyncGenerator<Block> {
    for await (const block of blocks) {
      last = block;
      yield block;
    }
  }
  const verdict = await verifyStream(walked(), head);
  if (verdict.ok) return verdict;
  const { number, entry = 0 } = verdict.at;
  const body = last?.number === number ? last.entries[entry]?.body : undefined;
  const record = body === undefined ? undefined : idIn(body);
  return record === undefined ? verdict : { ...verdict, record };
}

/** The id in a record's text; nothing where the text was changed beyond reading. */
function idIn(body: string): string | undefined {
  const parsed = parseStrictJson(Buffer.from(body, 'utf8'));
  const id = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
