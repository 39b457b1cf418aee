import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releaseNames } from '@switchyard/protocol';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

const folder = fileURLToPath(new URL('../captures', import.meta.url));

/** Set to write the captures again: received values become expected ones. Review them before you commit. */
export const isWriting: boolean = process.env['SWITCHYARD_WRITE_COVERAGE'] === '1';

/** A capture as stored in its file: complete, or as differences from another cell of the file. */
interface Change {
  readonly like: string;
  /** Values by JSON pointer that replace those of the other cell. */
  readonly set?: JsonObject;
  /** JSON pointers of members that only the other cell has. */
  readonly without?: readonly string[];
}

/**
 * The expected passages of one task, by cell. A cell that is not in the file is equal to its base; one that is contains
 * only its differences from an earlier one.
 */
export class Captures {
  private readonly path: string;
  private readonly stored: Record<string, JsonValue>;

  constructor(task: string) {
    this.path = join(folder, `${task}.json`);
    const text = !isWriting && existsSync(this.path) ? readFileSync(this.path, 'utf8') : '{}';
    this.stored = unpackCaptures(JSON.parse(text) as JsonObject);
  }

  /** Returns the difference from the expected capture; undefined if there is none. */
  difference(cell: string, seen: JsonValue): string | undefined {
    if (isWriting) this.stored[cell] ??= seen;
    const expected = storedAs(this.stored, cell);
    if (expected === undefined) return 'there is no capture of it';
    return firstDifference(expected, seen, '');
  }

  save(): void {
    if (!isWriting) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.path, `${captureText(packCaptures(this.stored), '')}\n`);
  }
}

/** A release that is asked for by its exact name is compared with the newest form. */
const formBefore: Readonly<Record<string, string>> = {
  ...{ '2.5': 'service', '3.0': '2.5', '3.1': '3.0' },
  ...Object.fromEntries(releaseNames.map((name) => [name, '3.1'])),
};

/**
 * The cell that most resembles the named one: sellers over MCP instead of A2A, the same request over MCP instead of A2A or
 * REST, in the dialect `ads`, in the form before.
 */
function baseOf(cell: string): string | undefined {
  if (cell.includes(' to a2a') && !cell.endsWith(' beside')) return cell.replace(' to a2a', '');
  const [form = '', dialect = '', endpoint = ''] = cell.split(' ');
  if (endpoint === 'a2a' || endpoint === 'rest') return cell.replace(` ${endpoint}`, ' mcp');
  if (dialect === 'adcp') return cell.replace('adcp', 'ads');
  const before = formBefore[form];
  return before === undefined ? undefined : cell.replace(form, before);
}

function storedAs(captures: Readonly<Record<string, JsonValue>>, cell: string): JsonValue | undefined {
  const base = baseOf(cell);
  return captures[cell] ?? (base === undefined ? undefined : storedAs(captures, base));
}

/** Writes a cell that differs from its base as differences from the most similar written one, if that is shorter. */
function packCaptures(captures: Readonly<Record<string, JsonValue>>): JsonObject {
  const packed: Record<string, JsonValue> = {};
  for (const [cell, seen] of Object.entries(captures)) {
    const base = baseOf(cell);
    if (base !== undefined && canonicalJson(captures[base] ?? '') === canonicalJson(seen)) continue;
    const ways = Object.keys(packed).map((like) => changeOf(like, captures[like] ?? null, seen));
    packed[cell] = ways.reduce((best, way) => (sizeOf(way) < sizeOf(best) ? way : best), seen);
  }
  return packed;
}

function unpackCaptures(packed: JsonObject): Record<string, JsonValue> {
  const captures: Record<string, JsonValue> = {};
  for (const [cell, written] of Object.entries(packed)) {
    captures[cell] = isChange(written) ? changed(captures[written.like] ?? null, written) : written;
  }
  return captures;
}

function isChange(written: JsonValue): written is JsonObject & Change {
  return isJsonObject(written) && typeof written['like'] === 'string';
}

const sizeOf = (value: JsonValue) => JSON.stringify(value).length;

function changeOf(like: string, base: JsonValue, seen: JsonValue): JsonObject {
  const set: Record<string, JsonValue> = {};
  const without: string[] = [];
  collect(base, seen, '');
  return {
    like,
    ...(Object.keys(set).length === 0 ? {} : { set }),
    ...(without.length === 0 ? {} : { without }),
  };

  function collect(left: JsonValue | undefined, right: JsonValue | undefined, at: string): void {
    if (right === undefined) without.push(at);
    else if (
      left === undefined ||
      !isTree(left) ||
      !isTree(right) ||
      Array.isArray(left) !== Array.isArray(right)
    ) {
      if (left === undefined || canonicalJson(left) !== canonicalJson(right)) set[at] = right;
    } else {
      const [from, to] = [membersOf(left), membersOf(right)];
      for (const name of new Set([...from.keys(), ...to.keys()]))
        collect(from.get(name), to.get(name), `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  }
}

type Tree = JsonObject | JsonValue[];
const isTree = (value: JsonValue): value is Tree => typeof value === 'object' && value !== null;
const membersOf = (tree: Tree) => new Map<string, JsonValue | undefined>(Object.entries(tree));

function changed(base: JsonValue, { set = {}, without = [] }: Change): JsonValue {
  const copy = structuredClone(base);
  // From the end of a list, so that earlier indexes do not change.
  for (const pointer of [...without].reverse()) {
    const { tree, name } = placeOf(copy, pointer);
    if (Array.isArray(tree)) tree.splice(Number(name), 1);
    else Reflect.deleteProperty(tree, name);
  }
  for (const [pointer, value] of Object.entries(set)) {
    const { tree, name } = placeOf(copy, pointer);
    (tree as Record<string, JsonValue>)[name] = value;
  }
  return copy;
}

function placeOf(root: JsonValue, pointer: string): { readonly tree: Tree; readonly name: string } {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const name = names.pop();
  let tree: JsonValue | undefined = root;
  for (const step of names) tree = (tree as Record<string, JsonValue>)[step];
  if (name === undefined || tree === undefined || !isTree(tree))
    throw new Error(`no place ${pointer} in a capture`);
  return { tree, name };
}

/** Formats JSON: a value that fits into one line is written on one. */
function captureText(value: JsonValue, indent: string): string {
  const short = JSON.stringify(value);
  if (!isTree(value) || short.length + indent.length <= 160) return short;
  const inner = `${indent} `;
  const lines = Array.isArray(value)
    ? value.map((item: JsonValue) => `${inner}${captureText(item, inner)}`)
    : Object.entries(value).map(
        ([name, item]) => `${inner}${JSON.stringify(name)}: ${captureText(item ?? null, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
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
