import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { micros, Money, moneyText, shortText } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { ScrollTable } from '../../../parts/scroll-table.js';
import { SellerName } from '../../../parts/seller-name.js';
import { keyOf, type Offer } from './offers.js';
import { impressionsOf } from './plan-lines.js';

/** Offers as columns, their attributes as rows; the best value of a row is marked. */
export function SideBySide({
  offers,
  budget,
  remove,
}: {
  readonly offers: readonly Offer[];
  readonly budget: string;
  readonly remove: (offer: Offer) => void;
}) {
  const oneCurrency = new Set(offers.map(({ currency }) => currency)).size === 1;
  const best = (pick: (offer: Offer) => bigint | undefined, isLeast: boolean): string | undefined => {
    const known = offers.flatMap((offer) => {
      const value = pick(offer);
      return value === undefined ? [] : [{ key: keyOf(offer), value }];
    });
    if (known.length < 2) return undefined;
    return known.toSorted((a, b) => (a.value < b.value === isLeast ? -1 : 1))[0]?.key;
  };
  const sameModel = new Set(offers.map(({ model }) => model)).size === 1;
  const cheapest = oneCurrency && sameModel ? best(({ price }) => micros(price), true) : undefined;
  const lowest = oneCurrency
    ? best(({ minimum }) => micros(minimum === '' ? '0' : minimum), true)
    : undefined;
  const widest = best((offer) => {
    const count = impressionsOf(budget, offer);
    return count === undefined ? undefined : BigInt(count);
  }, false);
  const rows: readonly {
    readonly title: string;
    readonly best?: string | undefined;
    readonly cell: (offer: Offer) => ReactNode;
  }[] = [
    { title: 'Seller', cell: ({ seller }) => <SellerName of={seller} size={18} /> },
    {
      title: 'Price',
      best: cheapest,
      cell: (offer) => (
        <>
          {offer.isAuction && 'from '}
          <Money amount={offer.price} currency={offer.currency} show="cents" /> {offer.model.toUpperCase()}
        </>
      ),
    },
    {
      title: budget === '' ? 'Impressions' : `Impressions for ${moneyText(budget)}`,
      best: widest,
      cell: (offer) => {
        const count = impressionsOf(budget, offer);
        return count === undefined ? '–' : shortText(count);
      },
    },
    {
      title: 'Least spend',
      best: lowest,
      cell: ({ minimum, currency }) =>
        minimum === '' ? 'none' : <Money amount={minimum} currency={currency} />,
    },
    { title: 'Delivery', cell: ({ delivery }) => <Name of={delivery.replaceAll('_', '-')} /> },
    { title: 'Formats', cell: ({ formats }) => <Name of={formats.join(', ')} most={120} /> },
    { title: 'Audience', cell: ({ audience }) => <Name of={audience} most={120} /> },
    {
      title: 'Why',
      cell: ({ reason, description }) => <Name of={reason === '' ? description : reason} most={200} />,
    },
  ];
  return (
    <ScrollTable label="Offers side by side">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>
            <span className="unseen">Attribute</span>
          </Table.Th>
          {offers.map((offer) => (
            <Table.Th key={keyOf(offer)}>
              <Name of={offer.name} most={60} />
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ title, best: winner, cell }) => (
          <Table.Tr key={title}>
            <Table.Th scope="row">{title}</Table.Th>
            {offers.map((offer) => (
              <Table.Td key={keyOf(offer)} className={winner === keyOf(offer) ? 'best' : undefined}>
                {cell(offer)}
                {winner === keyOf(offer) && <span className="unseen"> (best)</span>}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
        <Table.Tr>
          <Table.Th scope="row">
            <span className="unseen">Leave out</span>
          </Table.Th>
          {offers.map((offer) => (
            <Table.Td key={keyOf(offer)}>
              <button type="button" className="text-button" onClick={() => remove(offer)}>
                Leave out<span className="unseen"> {offer.name}</span>
              </button>
            </Table.Td>
          ))}
        </Table.Tr>
      </Table.Tbody>
    </ScrollTable>
  );
}
