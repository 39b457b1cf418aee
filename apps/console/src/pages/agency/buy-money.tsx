import { Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Money, sumText } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PrintButton } from '../../parts/print.js';
import { useMay, useRefresh } from '../../parts/use-rows.js';
import type { Buy } from './buy-actions.js';
import { BuyLines } from './buy-lines.js';
import { BuyOrders } from './buy-orders.js';
import { useCampaignsOf } from './use-campaigns-of.js';
import { bindText } from '../../parts/forms/bind-text.js';

/** What was ordered, for whom, and the way to its money. */
export function OrderPanel({ buy }: { readonly buy: Buy }) {
  return (
    <Panel title="Order" acts={<PrintButton />}>
      <FactList
        of={{
          'Order value': <Money amount={buy.current_total_budget} currency={buy.currency} show="cents" />,
          Campaign: (
            <Group gap="xs">
              {buy.campaign_id === null ? 'Not assigned' : <Name of={buy.campaign} />}
              <MoveButton key={buy.campaign_id} buy={buy} />
            </Group>
          ),
          Brand: <Name of={buy.brand_name ?? buy.brand} />,
          Account: <Name of={buy.account} />,
        }}
      />
    </Panel>
  );
}

/** The money of a buy: its lines with cents, its entries in the ledger, and its insertion orders. */
export function BuyMoney({ buy }: { readonly buy: Buy }) {
  const may = useMay();
  const spent = sumText(buy.packages.map(({ spend }) => spend));
  return (
    <div className="columns">
      <div className="column">
        <BuyLines buy={buy} />
      </div>
      <div className="column">
        <Panel title="Money" about={buy.currency}>
          <FactList
            of={{
              Ordered: <Money amount={buy.total_budget} show="cents" />,
              'Ordered now': <Money amount={buy.current_total_budget} show="cents" />,
              'Not placed': <Money amount={buy.not_placed} show="cents" />,
              Delivered: <Money amount={spent} show="cents" />,
              Ledger: may('ledger.read') && (
                <Go to={`/reports/entries/${encodeURIComponent(buy.media_buy_id)}`}>Its entries</Go>
              ),
            }}
          />
        </Panel>
        <BuyOrders buy={buy} />
      </div>
    </div>
  );
}

/** Moves a buy to a campaign of its brand, or to none. */
function MoveButton({ buy }: { readonly buy: Buy }) {
  const [to, setTo] = useState(buy.campaign_id ?? '');
  const refresh = useRefresh();
  const mayMove = useMay()('clients.write');
  const campaigns = useCampaignsOf(buy.brand, mayMove) ?? [];
  if (!mayMove) return undefined;
  const move = async (reason: string): Promise<void> => {
    const from = buy.campaign_id;
    const body = { media_buy_id: buy.media_buy_id, ...(reason !== '' && { reason }) };
    if (to !== '') await api('POST /v1/campaigns/{id}/assign', { params: { id: to }, body });
    else if (from !== null) await api('POST /v1/campaigns/{id}/unassign', { params: { id: from }, body });
    await refresh();
  };
  return (
    <ConfirmButton
      label={buy.campaign_id === null ? 'Assign' : 'Move'}
      size="compact-xs"
      variant="default"
      reason="optional"
      blocked={to === (buy.campaign_id ?? '') ? 'It stands there already.' : undefined}
      act={move}
      done="The buy is moved; the ledger has the move."
    >
      <NativeSelect
        label="Campaign"
        description="Of the brand of the buy. Its spend goes with it."
        {...bindText(to, setTo)}
        data={[
          { value: '', label: 'None' },
          ...campaigns
            .filter(({ status, campaign_id: id }) => id === buy.campaign_id || status !== 'closed')
            .map(({ campaign_id: value, name }) => ({ value, label: clean(name, 60) })),
        ]}
      />
    </ConfirmButton>
  );
}
