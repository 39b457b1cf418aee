import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { NoticeConnector } from '@switchyard/events';
import { bookSystems, isPlaceScheme, type BookLayout, type FilePlace } from '@switchyard/ledger';
import { protocolPattern, type SellerConnector } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { builtInChannels } from '../notices/channel-posts.js';
import type { StartFailure } from '../platform/start-failure.js';

/** What the packages of SWITCHYARD_CONNECTORS bring. */
export interface Connectors {
  readonly sellers: readonly SellerConnector[];
  readonly books: readonly BookLayout[];
  readonly notices: readonly NoticeConnector[];
  readonly files: readonly FilePlace[];
}

type Connector = SellerConnector | BookLayout | NoticeConnector | FilePlace;

const refused = (message: string): Result<never, StartFailure> =>
  err({ code: 'settings', message: `SWITCHYARD_CONNECTORS: ${message}` });

/** Names that are not free: what the product itself calls sellers by and writes. */
const taken: ReadonlySet<string> = new Set([
  ...['mcp', 'a2a', 'csv', 'console', 'mail', ...builtInChannels],
  ...bookSystems,
]);

/**
 * Loads the packages in order. Each exports a list `connectors` (docs/guides/connectors.md). A start that cannot load one is
 * refused: sellers that it calls would fail later and one by one.
 */
export function loadConnectors(names: readonly string[], folder: string): Result<Connectors, StartFailure> {
  // Of the folder and not of this file: a bundle has no packages beside it.
  const load = createRequire(resolve(folder, 'package.json'));
  const sellers: SellerConnector[] = [];
  const books: BookLayout[] = [];
  const notices: NoticeConnector[] = [];
  const files: FilePlace[] = [];
  const known = new Set(taken);
  for (const name of names) {
    let loaded: unknown;
    try {
      loaded = load(/^[./]/.test(name) ? resolve(folder, name) : name);
    } catch (error) {
      return refused(`${name} cannot be loaded: ${(error as Error).message.split('\n')[0] ?? ''}`);
    }
    const list = (loaded as { readonly connectors?: unknown }).connectors;
    if (!Array.isArray(list) || list.length === 0) return refused(`${name} exports no list connectors.`);
    for (const one of list as readonly unknown[]) {
      const found = connectorIn(one);
      if (found === undefined)
        return refused(`${name} has a connector that is none of a seller, of books, of notices or of files.`);
      const own = nameOf(found);
      if (known.has(own)) return refused(`${name} brings ${own}, which is there already.`);
      known.add(own);
      if (found.kind === 'seller') sellers.push(found);
      else if (found.kind === 'books') books.push(found);
      else if (found.kind === 'files') files.push(found);
      else notices.push(found);
    }
  }
  return ok({ sellers, books, notices, files });
}

function nameOf(one: Connector): string {
  if (one.kind === 'seller') return one.protocol;
  if (one.kind === 'files') return one.scheme;
  return one.kind === 'books' ? one.system : one.channel;
}

type Loaded = Partial<
  Record<keyof SellerConnector | keyof BookLayout | keyof NoticeConnector | keyof FilePlace, unknown>
>;

function connectorIn(value: unknown): Connector | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, protocol, system, channel, scheme, title, tools, call, journal, body, ...place } =
    value as Loaded;
  const isNamed = (name: unknown): boolean => typeof name === 'string' && protocolPattern.test(name);
  if (typeof title !== 'string') return undefined;
  if (kind === 'seller' && isNamed(protocol) && typeof call === 'function' && areTools(tools))
    return value as SellerConnector;
  if (kind === 'notices' && isNamed(channel) && typeof body === 'function') return value as NoticeConnector;
  if (kind === 'files' && typeof scheme === 'string' && isPlaceScheme(scheme) && stores(place))
    return value as FilePlace;
  return kind === 'books' && isNamed(system) && typeof journal === 'function'
    ? (value as BookLayout)
    : undefined;
}

const stores = ({ put, get, list }: Loaded): boolean =>
  [put, get, list].every((one) => typeof one === 'function');

const areTools = (tools: unknown): boolean =>
  typeof tools === 'object' &&
  tools !== null &&
  Object.values(tools).every(
    (names) => Array.isArray(names) && names.every((name) => typeof name === 'string'),
  );
