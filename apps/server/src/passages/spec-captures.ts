import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

const folder = fileURLToPath(new URL('./captures', import.meta.url));

/** Set by whoever writes the suite anew: what is seen becomes what is expected, to be read before it is committed. */
export const isWriting: boolean = process.env['SWITCHYARD_WRITE_COVERAGE'] === '1';

/** The expected passages of one task, by cell. Cells of several doors or dialects that look alike share one entry. */
export class Captures {
  private readonly path: string;
  private readonly kept: Record<string, JsonValue>;

  constructor(task: string) {
    this.path = join(folder, `${task}.json`);
    const read: unknown = existsSync(this.path) ? JSON.parse(readFileSync(this.path, 'utf8')) : {};
    this.kept = isJsonObject(read) && !isWriting ? { ...read } : {};
  }

  /** What differs from the expected capture; nothing where it is the same. */
  difference(cell: string, seen: JsonValue): string | undefined {
    const kept = this.kept[cell];
    const expected = typeof kept === 'string' ? this.kept[kept] : kept;
    if (isWriting && expected === undefined) {
      this.kept[cell] = this.alike(seen) ?? seen;
      return undefined;
    }
    if (expected === undefined) return 'there is no capture of it';
    return firstDifference(expected, seen, '');
  }

  /** Of the cells that look the same, one holds the capture and the others its name. */
  private alike(seen: JsonValue): string | undefined {
    const text = canonicalJson(seen);
    return Object.keys(this.kept).find((cell) => canonicalJson(this.kept[cell] ?? null) === text);
  }

  save(): void {
    if (!isWriting) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.path, `${JSON.stringify(this.kept, null, 1)}\n`);
  }
}

function firstDifference(expected: JsonValue, seen: JsonValue, at: string): string | undefined {
  if (canonicalJson(expected) === canonicalJson(seen)) return undefined;
  if (isJsonObject(expected) && isJsonObject(seen)) return ofMembers(expected, seen, at);
  if (Array.isArray(expected) && Array.isArray(seen) && expected.length === seen.length) {
    for (const [index, item] of expected.entries()) {
      const inner = firstDifference(item, seen[index] ?? null, `${at}/${index}`);
      if (inner !== undefined) return inner;
    }
  }
  return `${at}: expected ${JSON.stringify(expected)}, seen ${JSON.stringify(seen)}`;
}

function ofMembers(expected: JsonObject, seen: JsonObject, at: string): string | undefined {
  for (const name of new Set([...Object.keys(expected), ...Object.keys(seen)])) {
    const [left, right] = [expected[name], seen[name]];
    if (left === undefined) return `${at}/${name}: not expected`;
    if (right === undefined) return `${at}/${name}: expected, and not there`;
    const inner = firstDifference(left, right, `${at}/${name}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
