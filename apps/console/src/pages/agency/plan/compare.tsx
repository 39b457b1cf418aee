import { Button, Group, Select, Table, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import type { JsonObject } from '../../../api/client.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { useFilters } from '../../../parts/filters.js';
import { micros, Money } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { dropLine, isIn, putLine, useBasket } from './basket.js';
import { offersIn, sharedSupply, type Offer } from './offers.js';
import { ScrollTable } from '../../../parts/scroll-table.js';

/** All products of an answer side by side, cheapest first; prices in another currency are not compared. */
export function Compare({ answer }: { readonly answer: JsonObject }) {
  const [filters, setFilters] = useFilters();
  const basket = useBasket();
  const offers = useMemo(() => offersIn(answer), [answer]);
  const shared = useMemo(() => sharedSupply(offers), [offers]);
  const sellers = unique(offers.map(({ seller }) => seller));
  const formats = unique(offers.flatMap((offer) => offer.formats));
  const shown = offers
    .filter(({ seller }) => !filters['seller'] || seller === filters['seller'])
    .filter((offer) => !filters['format'] || offer.formats.includes(filters['format']))
    .toSorted(byPrice);
  if (offers.length === 0)
    return (
      <EmptyState title="No seller offered a product">
        Each row above says why. Make the brief wider, or have an administrator connect more sellers.
      </EmptyState>
    );
  return (
    <section aria-label="Products">
      <Group justify="space-between" align="flex-end" mb="xs">
        <Title order={2} size="h4">{`${shown.length} of ${offers.length} prices`}</Title>
        <Group gap="xs">
          <Select
            label="Seller"
            placeholder="All"
            size="xs"
            clearable
            data={sellers}
            value={filters['seller'] ?? null}
            onChange={(seller) => setFilters({ seller: seller ?? undefined })}
            clearButtonProps={{ 'aria-label': 'All sellers' }}
          />
          <Select
            label="Format"
            placeholder="All"
            size="xs"
            clearable
            data={formats}
            value={filters['format'] ?? null}
            onChange={(format) => setFilters({ format: format ?? undefined })}
            clearButtonProps={{ 'aria-label': 'All formats' }}
          />
        </Group>
      </Group>
      <ScrollTable label="Compare products">
        <Table.Thead>
          <Table.Tr>
            {['Product', 'Seller', 'Price', 'At least', 'Audience', 'Formats', 'Terms', 'Basket'].map(
              (title) => (
                <Table.Th key={title} className={['Price', 'At least'].includes(title) ? 'number' : ''}>
                  {title}
                </Table.Th>
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((offer) => (
            <OfferRow
              key={`${offer.productId} ${offer.pricingOptionId}`}
              offer={offer}
              isTaken={isIn(basket, offer)}
              isShared={offer.publishers.some((domain) => shared.has(domain))}
            />
          ))}
        </Table.Tbody>
      </ScrollTable>
    </section>
  );
}

function OfferRow({
  offer,
  isTaken,
  isShared,
}: {
  readonly offer: Offer;
  readonly isTaken: boolean;
  readonly isShared: boolean;
}) {
  return (
    <Table.Tr>
      <Table.Td maw={220}>
        <Name of={offer.name} />
      </Table.Td>
      <Table.Td>
        <Name of={offer.seller} />
      </Table.Td>
      <Table.Td className="number">
        {offer.isAuction && 'from '}
        <Money amount={offer.price} currency={offer.currency} />{' '}
        <Text span size="xs">
          {offer.model.toUpperCase()}
        </Text>
      </Table.Td>
      <Table.Td className="number">
        <Money amount={offer.minimum} currency={offer.currency} />
      </Table.Td>
      <Table.Td maw={280}>
        <Text size="xs" component="div">
          <Name of={offer.description} most={160} />
          {offer.audience !== '' && (
            <div>
              <Name of={offer.audience} most={160} />
            </div>
          )}
        </Text>
      </Table.Td>
      <Table.Td>
        <Name of={offer.formats.join(', ')} most={80} />
      </Table.Td>
      <Table.Td>
        <Name of={offer.delivery.replaceAll('_', '-')} />
        {isShared && (
          <span className="pill" data-tone="warn">
            same supply
          </span>
        )}
      </Table.Td>
      <Table.Td>
        <Button
          size="compact-xs"
          variant={isTaken ? 'default' : 'filled'}
          aria-label={`${isTaken ? 'Remove' : 'Add'} ${offer.name} of ${offer.seller}`}
          onClick={() => (isTaken ? dropLine(offer) : putLine(offer))}
        >
          {isTaken ? 'Remove' : 'Add'}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const unique = (texts: readonly string[]): string[] =>
  [...new Set(texts.filter((text) => text !== ''))].sort();

function byPrice(a: Offer, b: Offer): number {
  if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1;
  const difference = (micros(a.price) ?? 0n) - (micros(b.price) ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
