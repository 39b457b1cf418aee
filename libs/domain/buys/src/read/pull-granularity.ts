import { prefixId, taskError, type GetMediaBuyDeliveryRequest, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { ReadRequest } from '../model/read-request.js';
import type { ReadPorts } from '../model/read-request.js';
import type { MediaBuyRecord } from '../model/operation.js';

interface PullGranularity {
  /** Connections that support the requested granularity. */
  readonly sliced: ReadonlySet<string>;
  /** One error per seller that does not (docs/protocol/delivery.md#questions). */
  readonly errors: readonly TaskError[];
  /** True where no seller of these buys does: the request is then refused. */
  readonly isRefused: boolean;
}

/**
 * The sellers of these buys that declare the requested granularity, for themselves or for a bought product.
 * Sellers without a declaration may send days too, so `daily` is never refused.
 */
export async function pullGranularity(
  { store }: Pick<ReadPorts, 'store'>,
  { scope }: Pick<ReadRequest, 'scope'>,
  {
    records,
    connections,
  }: { readonly records: readonly MediaBuyRecord[]; readonly connections: readonly Connection[] },
  { timeGranularity: wanted }: GetMediaBuyDeliveryRequest,
): Promise<PullGranularity> {
  if (wanted === undefined) return { sliced: new Set(), errors: [], isRefused: false };
  const bought = records.flatMap(({ packages }) =>
    packages.map(({ seller, productId }) => ({ seller, id: prefixId(seller, productId) })),
  );
  const offers = await store.offers(
    scope,
    bought.map(({ id }) => id),
  );
  const declaredBy = ({ slug, capabilities }: Connection): ReadonlySet<string> =>
    new Set([
      ...(capabilities?.windowedPullGranularities ?? []),
      ...bought
        .filter(({ seller }) => seller === slug)
        .flatMap(({ id }) => offers.get(id)?.windowedPullGranularities ?? []),
    ]);
  const requested = connections.filter(({ id }) =>
    records.some(({ sellerBuys }) => sellerBuys.some(({ connectionId }) => connectionId === id)),
  );
  const sliced = requested.filter((connection) => declaredBy(connection).has(wanted));
  const errors =
    wanted === 'daily'
      ? []
      : requested
          .filter((connection) => !sliced.includes(connection))
          .map((connection) => unsupported(connection.slug, wanted, declaredBy(connection)));
  return {
    sliced: new Set(sliced.map(({ id }) => id)),
    errors,
    isRefused: errors.length > 0 && sliced.length === 0,
  };
}

function unsupported(seller: string, wanted: string, declared: ReadonlySet<string>): TaskError {
  const can = [...declared].sort();
  return taskError('UNSUPPORTED_GRANULARITY', `${seller} does not report at the granularity ${wanted}.`, {
    field: 'time_granularity',
    suggestion:
      can.length === 0 ? 'Leave time_granularity out, or ask for days.' : `Ask for ${can.join(' or ')}.`,
    details: { seller, supported: can },
  });
}
