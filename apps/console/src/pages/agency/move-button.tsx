import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { clean } from '../../parts/name.js';
import { useMay, useRefresh } from '../../parts/use-rows.js';
import type { Buy } from './buy-actions.js';
import { useCampaignsOf } from './use-campaigns-of.js';

/** Moves a buy to a campaign of its brand, or to none. */
export function MoveButton({ buy }: { readonly buy: Buy }) {
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
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
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
