import type { DialectNames } from '@switchyard/protocol';
import type { Agenda } from '../webhooks/agenda.js';
import type { MarketClock } from '../delivery/market-clock.js';
import type { Books } from '../buys/books.js';
import type { CatalogueProduct } from '../buys/catalogue.js';
import type { CallLog } from './call-log.js';
import type { Outbox } from '../webhooks/outbox.js';
import type { Personality } from '../personalities.js';
import type { CatalogueSignal } from '../signals/signals-catalogue.js';

/** One running agent: its personality, products, books and connections. */
export interface Agent {
  readonly personality: Personality;
  readonly names: DialectNames;
  readonly seed: string;
  readonly dayMs: number;
  readonly scale: number;
  readonly origin: string;
  readonly agentUrl: string;
  readonly products: readonly CatalogueProduct[];
  readonly signals: readonly CatalogueSignal[];
  readonly books: Books;
  readonly outbox: Outbox;
  readonly agenda: Agenda;
  readonly calls: CallLog;
  now(): number;
  /** The calendar of campaigns; everything else follows `now`. */
  readonly market: MarketClock;
}

/** The caller: the platform that was given the token, or anybody. */
export type Caller = 'known' | 'public';
