import { NativeSelect, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import { LinkToBuy } from './buy-link.js';
import { useBuyText, withoutCampaign } from './buy-status.js';
import { useCampaignsOf } from './use-campaigns-of.js';

type Row = Answer<'GET /v1/buys'>['media_buys'][number];

/** Buys without a campaign; selecting one assigns it, and another selection changes it. */
export function Unassigned() {
  const pages = usePages('GET /v1/buys', 'media_buys', withoutCampaign);
  const mayAssign = useMay()('clients.write');
  const client = useQueryClient();
  const [error, setError] = useState<unknown>();
  const assign = async (buy: Row, campaignId: string): Promise<void> => {
    setError(undefined);
    try {
      await api('POST /v1/campaigns/{id}/assign', {
        params: { id: campaignId },
        body: { media_buy_id: buy.media_buy_id },
      });
      await client.invalidateQueries({ queryKey: ['buys'] });
      notifications.show({ message: 'Assigned. The page of the buy shows its campaign.', color: 'good' });
    } catch (failure) {
      setError(failure);
    }
  };
  const columns: readonly Column<Row>[] = [
    {
      title: 'Buy',
      cell: (buy) => (
        <div className="buy-name">
          <LinkToBuy buy={buy} />
        </div>
      ),
    },
    { title: 'Brand', cell: (buy) => <Name of={buy.brand} /> },
    {
      title: 'Budget',
      isNumber: true,
      cell: (buy) => <Money amount={buy.current_total_budget} currency={buy.currency} />,
    },
    { title: 'Bought', cell: (buy) => <Time at={buy.created_at} /> },
    {
      title: 'Campaign',
      cell: (buy) => (mayAssign ? <CampaignSelect buy={buy} onChoose={(id) => void assign(buy, id)} /> : '–'),
    },
  ];
  return (
    <>
      {error !== undefined && <ErrorPanel error={error} />}
      <DataTable
        label="Buys without a campaign"
        pages={pages}
        columns={columns}
        empty={<Text>Every buy belongs to a campaign.</Text>}
      />
    </>
  );
}

/** The open campaigns of the brand of a buy. */
function CampaignSelect({ buy, onChoose }: { readonly buy: Row; readonly onChoose: (id: string) => void }) {
  const campaigns = useCampaignsOf(buy.brand, true);
  const nameOf = useBuyText();
  const fitting = (campaigns ?? []).filter(({ status }) => status !== 'closed');
  if (campaigns === undefined) return '–';
  if (fitting.length === 0) return 'Its brand has no campaign: add one above.';
  return (
    <NativeSelect
      aria-label={`Campaign of ${nameOf(buy)}, ${buy.media_buy_id}`}
      size="xs"
      value=""
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={[
        { value: '', label: 'Choose a campaign' },
        ...fitting.map(({ campaign_id: value, name, brand }) => ({
          value,
          label: clean(`${name} (${brand})`, 60),
        })),
      ]}
    />
  );
}
