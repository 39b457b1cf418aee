import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { NoticeConnector } from '@switchyard/events';
import { bookSystems, type BookLayout } from '@switchyard/ledger';
import { protocolPattern, type SellerConnector } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { builtInChannels } from '../notices/channel-posts.js';
import type { StartFailure } from '../platform/start-failure.js';

/** What the packages of SWITCHYARD_CONNECTORS bring. */
export interface Connectors {
  readonly sellers: readonly SellerConnector[];
  readonly books: readonly BookLayout[];
  readonly notices: readonly NoticeConnector[];
}

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
        return refused(`${name} has a connector that is none of a seller, of books or of notices.`);
      const own = nameOf(found);
      if (known.has(own)) return refused(`${name} brings ${own}, which is there already.`);
      known.add(own);
      if (found.kind === 'seller') sellers.push(found);
      else if (found.kind === 'books') books.push(found);
      else notices.push(found);
    }
  }
  return ok({ sellers, books, notices });
}

function nameOf(one: SellerConnector | BookLayout | NoticeConnector): string {
  if (one.kind === 'seller') return one.protocol;
  return one.kind === 'books' ? one.system : one.channel;
}

type Loaded = Partial<Record<keyof SellerConnector | keyof BookLayout | keyof NoticeConnector, unknown>>;

function connectorIn(value: unknown): SellerConnector | BookLayout | NoticeConnector | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, protocol, system, channel, title, tools, call, journal, body } = value as Loaded;
  const isNamed = (name: unknown): boolean => typeof name === 'string' && protocolPattern.test(name);
  if (typeof title !== 'string') return undefined;
  if (kind === 'seller' && isNamed(protocol) && typeof call === 'function' && areTools(tools))
    return value as SellerConnector;
  if (kind === 'notices' && isNamed(channel) && typeof body === 'function') return value as NoticeConnector;
  return kind === 'books' && isNamed(system) && typeof journal === 'function'
    ? (value as BookLayout)
    : undefined;
}

const areTools = (tools: unknown): boolean =>
  typeof tools === 'object' &&
  tools !== null &&
  Object.values(tools).every(
    (names) => Array.isArray(names) && names.every((name) => typeof name === 'string'),
  );
