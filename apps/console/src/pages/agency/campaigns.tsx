import { Button, Group, NativeSelect, Stack, Title } from '@mantine/core';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { Quiet } from '../../parts/quiet.js';
import { PageHead } from '../../parts/page-head.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import type { Answer } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { EditCampaign } from './edit-campaign.js';
import { NewBrand, NewCampaign, NewClient } from './new-campaign.js';
import { Unassigned } from './unassigned.js';

type Row = Answer<'GET /v1/campaigns'>['campaigns'][number];

const columns: readonly Column<Row>[] = [
  {
    title: 'Campaign',
    text: ({ name }) => name,
    cell: (row) => (
      <>
        <Go to={`/campaigns/${row.campaign_id}`}>{clean(row.name, 60)}</Go>
        <Quiet>
          <Name of={row.client} /> · <Name of={row.brand} />
        </Quiet>
      </>
    ),
  },
  {
    title: 'Status',
    text: ({ status }) => status,
    cell: (row) => (
      <Explained
        kind="campaign"
        of={row.status}
        evidence={
          <>
            <Time at={row.from} dateOnly /> to <Time at={row.to} dateOnly />
          </>
        }
        cli={`npx switchyard campaigns show ${row.campaign_id}`}
      />
    ),
  },
  {
    title: 'Budget',
    isNumber: true,
    text: ({ budget }) => budget,
    unit: ({ currency }) => currency,
    cell: (row) => <Money amount={row.budget} currency={row.currency} />,
  },
  {
    title: 'Committed',
    isNumber: true,
    text: ({ figures }) => figures?.committed,
    unit: ({ currency }) => currency,
    cell: (row) => <Money amount={row.figures?.committed} currency={row.currency} />,
  },
  {
    title: 'Delivered',
    isNumber: true,
    text: ({ figures }) => figures?.delivered,
    unit: ({ currency }) => currency,
    cell: (row) => <Money amount={row.figures?.delivered} currency={row.currency} />,
  },
  { title: 'From', text: ({ from }) => from, cell: (row) => <Time at={row.from} dateOnly /> },
  { title: 'To', text: ({ to }) => to, cell: (row) => <Time at={row.to} dateOnly /> },
  { title: 'PO number', text: ({ po_number: number }) => number, cell: (row) => <Name of={row.po_number} /> },
  {
    title: 'Owner',
    text: ({ owner }) => owner,
    cell: (row) => (
      <Stack gap={8} align="flex-start">
        <Name of={row.owner} />
        <EditCampaign campaign={row} />
      </Stack>
    ),
  },
];

/** Campaigns by client, and the buys without a campaign. */
export function CampaignsPage() {
  const [filters, setFilters] = useFilters();
  const me = useMe().data;
  const { client_id, status } = filters;
  const pages = usePages('GET /v1/campaigns', 'campaigns', { client_id, status: worded(status) });
  const clients = usePages('GET /v1/clients', 'clients', {});
  const mayWrite = me !== null && me !== undefined && may(me, 'clients.write');
  return (
    <Stack>
      <PageHead
        title="Campaigns"
        actions={
          mayWrite && (
            <>
              {me.scopes.includes('organization') && <NewClient />}
              <NewBrand clients={clients.rows} />
              <NewCampaign clients={clients.rows} />
            </>
          )
        }
      >
        What each client runs, and the buys that no campaign has.
      </PageHead>
      <Group gap="xs" align="flex-end" role="search" aria-label="Filters of campaigns">
        <NativeSelect
          label="Client"
          value={client_id ?? ''}
          onChange={({ currentTarget }) => setFilters({ client_id: currentTarget.value })}
          data={[
            { value: '', label: 'All clients' },
            ...clients.rows.map(({ client_id: value, name }) => ({ value, label: clean(name, 60) })),
          ]}
        />
        <NativeSelect
          label="Status"
          value={status ?? ''}
          onChange={({ currentTarget }) => setFilters({ status: currentTarget.value })}
          data={[{ value: '', label: 'All' }, 'planned', 'active', 'closed']}
        />
        {Object.keys(filters).length > 0 && (
          <Button variant="default" onClick={() => setFilters({ client_id: undefined, status: undefined })}>
            Clear
          </Button>
        )}
      </Group>
      <DataTable
        label="Campaigns"
        peek={{
          idOf: (row) => row.campaign_id,
          nameOf: (row) => clean(row.name, 80),
          toOf: (row) => `/campaigns/${row.campaign_id}`,
        }}
        pages={pages}
        columns={columns}
        empty={
          <EmptyState title="No campaign is here">
            {mayWrite
              ? 'Add a client and its brand, then choose New campaign. Buys can be assigned to it below.'
              : 'Somebody with the permission clients.write adds clients and campaigns.'}
          </EmptyState>
        }
      />
      {me !== null && me !== undefined && may(me, 'media_buys.read') && (
        <>
          <Title order={2} size="h4">
            Buys without a campaign
          </Title>
          <Unassigned />
        </>
      )}
    </Stack>
  );
}
