import type { Block, OpenStream, WholeStream } from '@switchyard/journal';

/** Reads all blocks of a stream before its snapshot ends. */
export async function wholeStream({ head, blocks }: OpenStream): Promise<WholeStream> {
  const read: Block[] = [];
  for await (const block of blocks) read.push(block);
  return { head, blocks: read };
}
