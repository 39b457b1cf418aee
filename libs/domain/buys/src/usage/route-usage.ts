import {
  hasFeature,
  reportUsage as task,
  splitId,
  taskError,
  type TaskError,
  type UsageRecord,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { BuyerAccount } from '../model/buyer-account.js';
import type { MediaBuyRecord } from '../model/operation.js';
import type { BilledElsewhere } from '../model/ports.js';
import { offersTask } from '../call/offers-task.js';

/** A record with its account, found among the caller's. */
export interface NamedUsage {
  /** Position in the caller's request, from 0. */
  readonly at: number;
  readonly record: UsageRecord;
  readonly account: BuyerAccount;
}

export interface RoutedUsage extends NamedUsage {
  readonly connection: Connection;
}

interface UsageKnowledge {
  readonly connections: readonly Connection[];
  /** The caller's own buys among those in the records. */
  readonly buys: ReadonlyMap<string, MediaBuyRecord>;
  readonly billedElsewhere: readonly BilledElsewhere[];
}

interface UsageRoutes {
  readonly routed: readonly RoutedUsage[];
  readonly errors: readonly TaskError[];
}

/** Members with ids of vendors: the first one with a known prefix determines the vendor. */
const vendorIds = ['standards_id', 'rights_id', 'property_list_id'];

/**
 * Finds the vendor of each record, and restores the vendor's own ids. A record without a vendor is an error;
 * the others are sent, as partial acceptance allows.
 */
export function routeUsage(named: readonly NamedUsage[], known: UsageKnowledge): UsageRoutes {
  const routed: RoutedUsage[] = [];
  const errors: TaskError[] = [];
  for (const record of named) {
    const found = routeOne(record, known);
    if ('code' in found) errors.push(found);
    else routed.push(found);
  }
  return { routed, errors };
}

function routeOne(usage: NamedUsage, known: UsageKnowledge): RoutedUsage | TaskError {
  const { record, at } = usage;
  const field = (name: string): string => `usage[${at}].${name}`;
  const buy = record.mediaBuyId === undefined ? undefined : known.buys.get(record.mediaBuyId);
  if (record.mediaBuyId !== undefined && buy === undefined)
    return taskError('MEDIA_BUY_NOT_FOUND', 'You have no media buy with this id.', {
      field: field('media_buy_id'),
    });
  const vendor = vendorOf(record, known.connections);
  if (vendor !== undefined) return addressed(usage, vendor.connection, vendor.record, known);
  const isNamed = record.signalId !== undefined || vendorIds.some((name) => record.rest[name] !== undefined);
  // The seller of the media gets records of media only. An unknown signal is an error, and no record of media.
  if (isNamed || buy === undefined)
    return taskError('REFERENCE_NOT_FOUND', 'The record names no vendor of yours.', {
      field: field(record.signalId === undefined ? 'media_buy_id' : 'signal_agent_segment_id'),
      suggestion: 'Use ids as they were returned to you, with the name of their agent in front.',
    });
  const [part, another] = buy.sellerBuys.filter((candidate) => candidate.sellerMediaBuyId !== undefined);
  if (part?.sellerMediaBuyId === undefined || another !== undefined)
    return taskError('INVALID_REQUEST', 'The buy has several sellers, and the record says of none.', {
      field: field('media_buy_id'),
      suggestion: 'Name the signal, the standards or the rights that were used, as its vendor called it.',
    });
  const connection = known.connections.find((candidate) => candidate.id === part.connectionId);
  if (connection === undefined) return notOffered(at, part.seller);
  return addressed(usage, connection, { ...record, mediaBuyId: part.sellerMediaBuyId }, known);
}

function vendorOf(
  record: UsageRecord,
  connections: readonly Connection[],
): { readonly connection: Connection; readonly record: UsageRecord } | undefined {
  const signal = record.signalId === undefined ? undefined : ownerOf(record.signalId, connections);
  if (signal !== undefined)
    return { connection: signal.connection, record: { ...record, signalId: signal.id } };
  if (record.signalId !== undefined) return undefined;
  for (const name of vendorIds) {
    const id = record.rest[name];
    const owner = typeof id === 'string' ? ownerOf(id, connections) : undefined;
    if (owner !== undefined)
      return {
        connection: owner.connection,
        record: { ...record, rest: { ...record.rest, [name]: owner.id } },
      };
  }
  return undefined;
}

function ownerOf(
  id: string,
  connections: readonly Connection[],
): { readonly connection: Connection; readonly id: string } | undefined {
  const split = splitId(id);
  const connection = split.ok
    ? connections.find((candidate) => candidate.slug === split.value.slug)
    : undefined;
  return split.ok && connection !== undefined ? { connection, id: split.value.id } : undefined;
}

function addressed(
  usage: NamedUsage,
  connection: Connection,
  record: UsageRecord,
  known: UsageKnowledge,
): RoutedUsage | TaskError {
  const { at, account } = usage;
  if (connection.state !== 'live' || !hasUsage(connection) || !offersTask(connection, task))
    return notOffered(at, connection.slug);
  if (known.billedElsewhere.some((mark) => mark.connectionId === connection.id && isSame(mark, account)))
    return taskError('BILLING_OUT_OF_BAND', `The vendor ${connection.slug} bills this account elsewhere.`, {
      field: `usage[${at}].account`,
      details: { seller: connection.slug },
    });
  return { at, account, connection, record };
}

/** Forms before 3.0 have neither the task nor accounts, and a record without an account cannot be billed. */
export function hasUsage({ form }: Pick<Connection, 'form'>): boolean {
  return hasFeature(form, 'usageReports');
}

function notOffered(at: number, seller: string): TaskError {
  return taskError('UNSUPPORTED_FEATURE', `The vendor ${seller} takes no reports of usage now.`, {
    field: `usage[${at}]`,
    details: { seller },
  });
}

function isSame(one: BuyerAccount, other: BuyerAccount): boolean {
  return (
    one.brandDomain === other.brandDomain && one.brandId === other.brandId && one.operator === other.operator
  );
}
