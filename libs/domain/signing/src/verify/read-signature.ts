import type { Buffer } from 'node:buffer';
import { err, ok, type Result } from '@switchyard/values';
import { readContentDigest } from '../content-digest.js';
import type { BinarySpelling } from '../profile.js';
import { isInnerList, parseDictionary } from '../structured-fields.js';
import type { InnerList } from '../field-reader.js';
import type { BareItem } from '../field-reader.js';
import type { ReceivedMessage } from './verdict.js';

/** The result of step 1: one signature, its list as it was sent, and the headers that it may cover. */
interface ReadSignature {
  readonly list: InnerList;
  readonly components: readonly string[];
  readonly signature: Buffer;
  /** Field values by lower-case name, lines joined. */
  readonly fields: ReadonlyMap<string, string>;
  /** Present if the digest is covered. */
  readonly digest?: Buffer;
}

/** Returns which of the two signature headers exist. One without the other is an error, never "unsigned". */
export function signaturePresence(headers: ReceivedMessage['headers']): 'none' | 'one' | 'both' {
  const has = (wanted: string): boolean =>
    headers.some(([name]) => name.length === wanted.length && name.toLowerCase() === wanted);
  const count = Number(has('signature')) + Number(has('signature-input'));
  return count === 0 ? 'none' : count === 1 ? 'one' : 'both';
}

/** Step 1: reads label `sig1` and ignores all others. Fails with a text for the checklist. */
export function readSignature(
  message: ReceivedMessage,
  binary: BinarySpelling = 'either',
): Result<ReadSignature, string> {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*[^\0-\x7f]/i.test(message.url)) return err('the host is not ASCII');
  const fields = joinFields(message.headers);
  const input = parseDictionary(fields.get('signature-input') ?? '', binary);
  const values = parseDictionary(fields.get('signature') ?? '', binary);
  if (input === undefined || values === undefined) return err('not a dictionary');
  const list = input.get('sig1');
  const value = values.get('sig1');
  if (list === undefined || value === undefined) return err('no label sig1 in both headers');
  if (!isInnerList(list) || isInnerList(value) || value.item.type !== 'bytes') return err('wrong types');
  const wrongParam = wrongParameter(list);
  if (wrongParam !== undefined) return err(wrongParam);
  const components = componentNames(list);
  if (components === undefined) return err('the list of components is malformed');
  const digest = coveredFields(components, fields, binary);
  if (!digest.ok) return digest;
  return ok({
    list,
    components,
    signature: value.item.value,
    fields,
    ...(digest.value === undefined ? {} : { digest: digest.value }),
  });
}

const paramTypes: Readonly<Record<string, BareItem['type']>> = {
  created: 'integer',
  expires: 'integer',
  nonce: 'string',
  keyid: 'string',
  alg: 'string',
  tag: 'string',
};

function wrongParameter(list: InnerList): string | undefined {
  for (const [name, item] of list.params) {
    if (Object.hasOwn(paramTypes, name) && paramTypes[name] !== item.type) return `${name} has a wrong type`;
  }
  return undefined;
}

/** Returns component names in order. A name with parameters gets a `;`, so that it equals no plain name. */
function componentNames(list: InnerList): readonly string[] | undefined {
  const names: string[] = [];
  for (const { item, params } of list.items) {
    if (item.type !== 'string') return undefined;
    const name = params.size === 0 ? item.value : `${item.value};`;
    if (names.includes(name)) return undefined;
    names.push(name);
  }
  return names;
}

/** Checks the two fields whose covered value must be unambiguous. */
function coveredFields(
  components: readonly string[],
  fields: ReadonlyMap<string, string>,
  binary: BinarySpelling,
): Result<Buffer | undefined, string> {
  const type = fields.get('content-type');
  if (components.includes('content-type') && type?.replace(/"(?:[^"\\]|\\.)*"/g, '').includes(',') === true) {
    return err('several values of Content-Type');
  }
  const header = fields.get('content-digest');
  if (!components.includes('content-digest') || header === undefined) return ok(undefined);
  const digest = readContentDigest(header, binary);
  return digest === undefined ? err('not one SHA-256 Content-Digest') : ok(digest);
}

function joinFields(headers: ReceivedMessage['headers']): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [rawName, rawValue] of headers) {
    const name = rawName.toLowerCase();
    const value = withoutSpaces(rawValue);
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}

/** Without the blanks and tabs around it. */
function withoutSpaces(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && isSpace(value[from])) from += 1;
  while (to > from && isSpace(value[to - 1])) to -= 1;
  return value.slice(from, to);
}

const isSpace = (sign: string | undefined): boolean => sign === ' ' || sign === '\t';
