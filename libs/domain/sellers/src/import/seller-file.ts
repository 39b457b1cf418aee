import { isJsonObject, type JsonValue } from '@switchyard/values';
import { isLoopbackHost, readFindInput } from '../candidates/find-input.js';
import { readMcpClients } from './mcp-clients.js';
import type { LeftOut, NamedSeller, Read } from './named-seller.js';

/** What a file of sellers is. */
export type SellerFileFormat = 'table' | 'mcp' | 'adagents' | 'sellers_json' | 'ads_txt';

export interface SellerFile {
  readonly format: SellerFileFormat;
  readonly sellers: readonly NamedSeller[];
  readonly leftOut: readonly LeftOut[];
}

/** The most sellers of one file. */
export const mostSellersInFile = 10_000;

export const isLeftOut = (read: Read): read is LeftOut => 'code' in read;

/**
 * Reads the sellers of a JSON document: the configuration of an MCP client, an adagents.json, or a sellers.json of the IAB.
 * Undefined of any other document.
 */
export function readSellerDocument(document: JsonValue, now: number): SellerFile | undefined {
  if (!isJsonObject(document)) return undefined;
  const clients = document['mcpServers'] ?? document['servers'];
  if (isJsonObject(clients)) return fileOf('mcp', readMcpClients(clients));
  const agents = document['authorized_agents'];
  if (Array.isArray(agents))
    return fileOf(
      'adagents',
      agents.map((entry, at) => agentOf(entry, `/authorized_agents/${at}`, now)),
    );
  const sellers = document['sellers'];
  if (Array.isArray(sellers))
    return fileOf(
      'sellers_json',
      sellers.map((entry, at) => publisherOf(entry, `/sellers/${at}`)),
    );
  return undefined;
}

/** The sellers of a file, each address once. */
export function fileOf(format: SellerFileFormat, read: readonly Read[]): SellerFile {
  const known = new Set<string>();
  const sellers: NamedSeller[] = [];
  const leftOut: LeftOut[] = [];
  for (const row of read) {
    const { at } = row;
    if (isLeftOut(row)) {
      leftOut.push(row);
      continue;
    }
    const place = readFindInput(row.input);
    if (!place.ok) leftOut.push({ at, code: 'not_an_address', why: place.error });
    else if (known.has(place.value.url))
      leftOut.push({ at, code: 'twice', why: 'The file names this address before.' });
    else sellers.push(row);
    if (place.ok) known.add(place.value.url);
  }
  return { format, sellers, leftOut };
}

const unreadable = (at: string): LeftOut => ({ at, code: 'not_readable', why: 'It is no object.' });

/** An agent that a publisher authorises. Whether the publisher still does is asked again when it is imported. */
function agentOf(entry: JsonValue, at: string, now: number): Read {
  if (!isJsonObject(entry)) return unreadable(at);
  const { url, effective_until: until } = entry;
  if (typeof url !== 'string') return { at, code: 'no_address', why: 'The entry has no url.' };
  const end = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  if (end <= now)
    return {
      at,
      code: 'window_over',
      why: `The publisher let it sell until ${new Date(end).toISOString()}.`,
    };
  return { at, input: url };
}

/** A publisher or intermediary of the IAB's sellers.json: its domain may name an agent. */
function publisherOf(entry: JsonValue, at: string): Read {
  if (!isJsonObject(entry)) return unreadable(at);
  const { domain, name, is_confidential: hidden } = entry;
  // The specification has 0 and 1; some write text or booleans.
  if (hidden === 1 || hidden === '1' || hidden === true)
    return { at, code: 'confidential', why: 'The document keeps this seller confidential.' };
  if (typeof domain !== 'string' || domain.trim() === '')
    return { at, code: 'no_address', why: 'The entry has no domain.' };
  return { at, input: domain.trim(), ...named(name) };
}

function named(name: JsonValue | undefined): { readonly name?: string } {
  return typeof name === 'string' && name.trim() !== '' ? { name: name.trim().slice(0, 200) } : {};
}

/** Names of columns, in small letters without other characters, by what they hold. */
const columns = {
  input: [
    'agenturl',
    'url',
    'address',
    'agent',
    'agentaddress',
    'endpoint',
    'input',
    'domain',
    'website',
    'publisherdomain',
  ],
  slug: ['slug', 'name', 'seller', 'sellername', 'publisher', 'company'],
  protocol: ['protocol', 'transport'],
  token: ['token', 'accesstoken', 'apikey', 'key', 'secret', 'bearertoken', 'credential'],
  scheme: ['tokenscheme', 'scheme', 'auth', 'authentication'],
  account: ['account', 'accountid'],
} as const;

/** Reads the rows of a table: a column with an address or a domain, and others that may be there. */
export function readSellerTable(
  rows: readonly { readonly row: number; readonly cells: Readonly<Record<string, string>> }[],
): SellerFile | undefined {
  const header = new Set(rows.flatMap(({ cells }) => Object.keys(cells)));
  const place = (member: keyof typeof columns): readonly string[] =>
    columns[member].flatMap((name) => [...header].filter((title) => bareName(title) === name));
  const places = {
    input: place('input'),
    slug: place('slug'),
    protocol: place('protocol'),
    token: place('token'),
    scheme: place('scheme'),
    account: place('account'),
  };
  if (places.input.length === 0) return undefined;
  return fileOf(
    'table',
    rows.map(({ row, cells }) => {
      const at = `row ${row}`;
      const cell = (names: readonly string[]): string | undefined =>
        names.map((name) => cells[name]?.trim()).find((text) => text !== undefined && text !== '');
      const input = cell(places.input);
      if (input === undefined) return { at, code: 'no_address', why: 'It has no address and no domain.' };
      return rowOf(at, input, {
        name: cell(places.slug),
        protocol: cell(places.protocol),
        token: cell(places.token),
        scheme: cell(places.scheme),
        account: cell(places.account),
      });
    }),
  );
}

type Cells = Readonly<Record<'name' | 'protocol' | 'token' | 'scheme' | 'account', string | undefined>>;

function rowOf(at: string, input: string, { name, protocol, token, scheme, account }: Cells): Read {
  const isBasic = scheme?.toLowerCase() === 'basic';
  if (token !== undefined && isBasic && !/^[^:]+:./s.test(token))
    return { at, code: 'other_credential', why: 'For basic the token must be NAME:PASSWORD.' };
  const spoken = protocol?.toLowerCase();
  return {
    at,
    input,
    ...named(name),
    ...(spoken === 'mcp' || spoken === 'a2a' ? { protocol: spoken } : {}),
    ...(token !== undefined && { token: token.replace(/^Bearer\s+/i, '') }),
    ...(token !== undefined && isBasic && { tokenScheme: 'basic' as const }),
    ...(account !== undefined && { account }),
  };
}

const bareName = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Reads the lines of an ads.txt (IAB, 1.1): each domain of an advertising system may name an agent. */
export function readAdsTxt(text: string): SellerFile | undefined {
  const read: Read[] = [];
  const domains = new Set<string>();
  for (const [at, whole] of text.split(/\r\n|\n|\r/).entries()) {
    const [line = ''] = whole.split('#', 1);
    const [domain = '', id = '', relation = ''] = line.split(',').map((part) => part.trim());
    if (id === '' || !/^(?:DIRECT|RESELLER)\b/i.test(relation) || !isHost(domain)) continue;
    // An advertising system has one line for each of its accounts.
    if (domains.has(domain.toLowerCase())) continue;
    domains.add(domain.toLowerCase());
    read.push({ at: `line ${at + 1}`, input: domain.toLowerCase() });
  }
  return read.length === 0 ? undefined : fileOf('ads_txt', read);
}

const isHost = (text: string): boolean =>
  isLoopbackHost(text) ||
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i.test(text);
