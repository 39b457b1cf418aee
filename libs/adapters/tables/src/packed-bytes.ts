import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Bytes of one block. A whole one is unpacked where a part of it is asked for. */
const blockBytes = 262_144;

/** Blocks that stay unpacked: the one that is read, and the one before. */
const recentBlocks = 2;

const pack = (bytes: Uint8Array): Buffer => deflateRawSync(bytes, { level: 1 });

const unpack = (bytes: Buffer, length: number): Buffer =>
  inflateRawSync(bytes, { chunkSize: Math.max(64, length + 64) });

/**
 * Bytes that are packed in memory, for a file that is read several times from first to last: a table takes a tenth of its
 * size or less. A block that packing does not make smaller stays as it is.
 */
export class PackedBytes {
  private readonly blocks: { readonly bytes: Buffer; readonly isPacked: boolean }[] = [];
  private readonly recent: { readonly block: number; readonly bytes: Buffer }[] = [];
  private readonly last = Buffer.alloc(blockBytes);
  length = 0;

  add(part: Buffer): void {
    for (let from = 0; from < part.length;) {
      const filled = this.length % blockBytes;
      const taken = part.copy(this.last, filled, from, from + blockBytes - filled);
      from += taken;
      this.length += taken;
      if (filled + taken === blockBytes) this.close();
    }
  }

  subarray(from = 0, to = this.length): Buffer {
    const end = Math.min(to, this.length);
    const [first, last] = [Math.floor(from / blockBytes), Math.floor((end - 1) / blockBytes)];
    if (end <= from) return Buffer.alloc(0);
    const start = first * blockBytes;
    if (first === last) return this.blockAt(first).subarray(from - start, end - start);
    const parts: Buffer[] = [];
    for (let block = first; block <= last; block += 1) parts.push(this.blockAt(block));
    return Buffer.concat(parts).subarray(from - start, end - start);
  }

  another(): PackedBytes {
    return new PackedBytes();
  }

  private close(): void {
    const packed = pack(this.last);
    const isPacked = packed.length < blockBytes * 0.9;
    this.blocks.push({ bytes: isPacked ? packed : Buffer.from(this.last), isPacked });
  }

  private blockAt(block: number): Buffer {
    const stored = this.blocks[block];
    if (stored === undefined) return this.last.subarray(0, this.length % blockBytes);
    if (!stored.isPacked) return stored.bytes;
    const known = this.recent.find((one) => one.block === block);
    if (known !== undefined) return known.bytes;
    const bytes = unpack(stored.bytes, blockBytes);
    this.recent.unshift({ block, bytes });
    this.recent.length = Math.min(this.recent.length, recentBlocks);
    return bytes;
  }
}

/** What stands between two packed rows: no cell has it (`packRow`). */
const betweenRows = '\u001E';

/** Rows of one block. */
export const rowsInBlock = 500;

/** Packs at most `rowsInBlock` rows of `packRow`. */
export const packRows = (rows: readonly string[]): Buffer =>
  pack(Buffer.from(rows.join(betweenRows), 'utf8'));

/** The rows of a sheet, packed in blocks that are full but for the last one. */
export class PackedRows {
  private readonly blocks: Uint8Array[] = [];
  private readonly changed = new Map<number, string>();
  private recent: { readonly block: number; readonly rows: readonly string[] } = { block: -1, rows: [] };
  length = 0;

  add(block: Uint8Array, rows: number): void {
    this.blocks.push(block);
    this.length += rows;
  }

  /** A row of `packRow`; empty where there is none. */
  at(row: number): string {
    const changed = this.changed.get(row);
    if (changed !== undefined) return changed;
    const block = Math.floor(row / rowsInBlock);
    if (block !== this.recent.block) this.recent = { block, rows: this.rowsOf(block) };
    return this.recent.rows[row % rowsInBlock] ?? '';
  }

  set(row: number, packed: string): void {
    this.changed.set(row, packed);
  }

  private rowsOf(block: number): readonly string[] {
    const bytes = this.blocks[block];
    return bytes === undefined ? [] : inflateRawSync(bytes).toString('utf8').split(betweenRows);
  }
}
