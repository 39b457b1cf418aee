import { Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import type { Peek } from '../../parts/peek.js';
import { PageHead } from '../../parts/page-head.js';
import { SellerSelect } from '../../parts/forms/seller-select.js';
import { SellerName } from '../../parts/seller-name.js';
import { rangeText, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import type { Answer } from '../../api/client.js';
import { LinkToBuy } from './buy-link.js';
import { BuyStatus, buyStatuses, buyText, lastDayOf, statusText } from './buy-status.js';
import { ClientCampaignSelects } from './client-campaign-selects.js';

type Row = Answer<'GET /v1/buys'>['media_buys'][number];

/** The columns of a list of buys. */
export const buyColumns: readonly Column<Row>[] = [
  {
    title: 'Buy',
    text: buyText,
    cell: (buy) => (
      <div className="buy-name">
        <LinkToBuy buy={buy} />
        <Text size="xs" c="dimmed">
          <Time at={buy.created_at} ago /> by <Name of={buy.created_by} most={60} />
        </Text>
      </div>
    ),
  },
  { title: 'Status', text: ({ status }) => statusText(status), cell: (buy) => <BuyStatus buy={buy} /> },
  {
    title: 'Client and brand',
    text: ({ client, brand }) => [client, brand].filter(Boolean).join(' / '),
    cell: ({ client, brand, brand_name: name }) => (
      <>
        <Name of={client} />
        <div>
          <Name of={name ?? brand} />
        </div>
      </>
    ),
  },
  { title: 'Campaign', text: ({ campaign }) => campaign, cell: ({ campaign }) => <Name of={campaign} /> },
  {
    title: 'Sellers',
    text: ({ sellers }) => sellers.map(({ seller }) => seller).join(', '),
    cell: ({ sellers }) =>
      [...new Set(sellers.map(({ seller }) => seller))].slice(0, 4).map((seller) => (
        <div key={seller}>
          <SellerName of={seller} size={18} />
        </div>
      )),
  },
  {
    title: 'Budget',
    isNumber: true,
    text: ({ current_total_budget: budget }) => budget,
    unit: ({ currency }) => currency,
    cell: (buy) => <Money amount={buy.current_total_budget} currency={buy.currency} />,
  },
  {
    title: 'Flight',
    text: (buy) => `${buy.start_time.slice(0, 10)} to ${lastDayOf(buy)}`,
    cell: (buy) => rangeText(buy.start_time.slice(0, 10), lastDayOf(buy)),
  },
];

/** A buy in the panel beside its list. */
export const buyPeek: Peek<Row> = {
  idOf: (buy) => buy.media_buy_id,
  nameOf: (buy) => clean(buyText(buy), 80),
  toOf: (buy) => `/buys/${encodeURIComponent(buy.media_buy_id)}`,
};

const text = [
  ['q', 'Reference'],
  ['brand', 'Brand'],
] as const;

/** Every media buy within reach, newest first. */
export function BuysPage() {
  const [filters, setFilters] = useFilters();
  const { status, seller, brand, client, campaign, q } = filters;
  const impaired = filters['impaired'] === 'true' ? 'true' : undefined;
  const wanted = { status, seller, brand, client, campaign, q, impaired } as const;
  const pages = usePages('GET /v1/buys', 'media_buys', wanted);
  return (
    <Stack>
      <PageHead title="Buys">What was bought, at whom, and where it stands.</PageHead>
      <Group align="flex-end" gap="xs" role="search" aria-label="Filters of buys">
        <NativeSelect
          label="Status"
          value={status ?? ''}
          onChange={({ currentTarget }) => setFilters({ status: currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            ...buyStatuses.map((value) => ({ value, label: statusText(value) })),
          ]}
        />
        <NativeSelect
          label="Impairments"
          value={impaired ?? ''}
          onChange={({ currentTarget }) => setFilters({ impaired: currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            { value: 'true', label: 'Only impaired' },
          ]}
        />
        <ClientCampaignSelects />
        <SellerSelect none="All" value={seller ?? ''} onChange={(slug) => setFilters({ seller: slug })} />
        {text.map(([name, label]) => (
          <TextInput
            key={`${name} ${filters[name] ?? ''}`}
            label={label}
            w={130}
            defaultValue={filters[name] ?? ''}
            onBlur={({ currentTarget }) => setFilters({ [name]: currentTarget.value.trim() })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') setFilters({ [name]: event.currentTarget.value.trim() });
            }}
          />
        ))}
      </Group>
      <DataTable
        label="Buys"
        peek={buyPeek}
        pages={pages}
        columns={buyColumns}
        empty={
          <EmptyState title="Nothing was bought yet">
            <Go to="/ask">Ask the market</Go>, put products into the basket, and buy them together.
          </EmptyState>
        }
      />
    </Stack>
  );
}
