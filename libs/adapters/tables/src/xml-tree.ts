import { SaxesParser, type SaxesTagNS } from 'saxes';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { TableFault } from './table-row.js';

/** An element of an XML document, without its namespace. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface Growing {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly children: Growing[];
}

/** Limits of one document; attributes are of one element, which is made in one step. */
export const xmlLimits = {
  bytes: 10_000_000,
  elements: 200_000,
  attributes: 1_000,
  depth: 64,
  textLength: 1_000_000,
} as const;

/** Characters that are read in one turn of the event loop. */
const sliceLength = 65_536;

/**
 * Reads an XML document into a tree. Document types, and with them entities, are refused (CWE-611, CWE-776), and so is
 * what is deeper or larger than the limits. Throws `TableFault`.
 */
export async function xmlTree(bytes: Buffer): Promise<XmlElement> {
  if (bytes.length > xmlLimits.bytes)
    throw new TableFault(`An XML document may have ${xmlLimits.bytes / 1_000_000} MB at most.`);
  const text = xmlText(bytes);
  const open: Growing[] = [];
  let root: Growing | undefined;
  let elements = 0;
  const parser = new SaxesParser({ xmlns: true });
  const refuse = (message: string): never => {
    throw new TableFault(message);
  };
  parser.on('error', ({ message }) => refuse(`The XML document cannot be read: ${message.slice(0, 200)}`));
  parser.on('doctype', () => refuse('An XML document with a document type is not read.'));
  let attributesOfTag = 0;
  parser.on('opentagstart', () => (attributesOfTag = 0));
  parser.on('attribute', () => {
    attributesOfTag += 1;
    if (attributesOfTag > xmlLimits.attributes)
      refuse('An element of the XML document has too many attributes.');
  });
  parser.on('opentag', ({ local, attributes }: SaxesTagNS) => {
    elements += 1;
    if (elements > xmlLimits.elements || open.length >= xmlLimits.depth)
      refuse('The XML document has too many elements, or they are too deep.');
    const element: Growing = {
      name: local,
      attributes: Object.fromEntries(
        Object.values(attributes).map((attribute) => [attribute.local, attribute.value] as const),
      ),
      text: '',
      children: [],
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const take = (part: string): void => {
    const element = open.at(-1);
    if (element === undefined) return;
    if (element.text.length + part.length > xmlLimits.textLength)
      refuse('A text of the XML document is too long.');
    element.text += part;
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => void open.pop());
  for (let at = 0; at < text.length; at += sliceLength) {
    parser.write(text.slice(at, at + sliceLength));
    await othersTurn();
  }
  parser.close();
  return root ?? refuse('The XML document is empty.');
}

/** The text of a document, by its byte order mark; UTF-8 where there is none. */
function xmlText(bytes: Buffer): string {
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes);
  const said = /^<\?xml[^>]{0,200}encoding=["']([A-Za-z0-9._-]{1,40})["']/.exec(
    bytes.subarray(0, 300).toString('latin1'),
  );
  const name = (said?.[1] ?? 'utf-8').toLowerCase();
  if (!/^(?:utf-8|us-ascii|iso-8859-(?:1|15)|windows-1252)$/.test(name))
    throw new TableFault(`The XML document is encoded in ${name}, which is not read.`);
  try {
    return new TextDecoder(name, { fatal: name === 'utf-8' }).decode(bytes);
  } catch {
    throw new TableFault('The XML document is not encoded as it says.');
  }
}
