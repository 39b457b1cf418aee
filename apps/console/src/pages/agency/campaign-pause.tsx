import { Checkbox, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { useFilters } from '../../parts/filters.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean } from '../../parts/name.js';
import { moneyText } from '../../parts/money.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Changes = Answer<'GET /v1/campaigns/{id}/pause'>;
type Change = Changes['running'][number];
type Deed = 'pause' | 'resume';

const opposite = { pause: 'resume', resume: 'pause' } as const;
const countOf = (count: number): string => `${count} ${count === 1 ? 'buy' : 'buys'}`;

/** What of a campaign runs and what is paused, for whoever may change it. */
export function usePauses(campaignId: string): Changes | undefined {
  const isEnabled = useMay()('media_buys.write');
  return useAnswer('GET /v1/campaigns/{id}/pause', { params: { id: campaignId } }, isEnabled).data;
}

/** Pauses what runs of a campaign at all its sellers, or lets what is paused run again: one change, confirmed once. */
export function PauseCampaign({
  campaignId,
  deed,
  of,
  isSmall = false,
}: {
  readonly campaignId: string;
  readonly deed: Deed;
  readonly of: readonly Change[];
  readonly isSmall?: boolean;
}) {
  const client = useQueryClient();
  const nameOf = useSellerNames();
  const [filters] = useFilters();
  const [left, setLeft] = useState<readonly string[]>([]);
  const chosen = of.map(({ media_buy_id: id }) => id).filter((id) => !left.includes(id));
  const change = async (what: Deed, ids: readonly string[]): Promise<string> => {
    const { outcomes } = await api(`POST /v1/campaigns/{id}/${what}`, {
      params: { id: campaignId },
      body: { media_buy_ids: [...ids] },
    });
    await client.invalidateQueries();
    const refused = outcomes.filter(({ status }) => status === 'refused' || status === 'failed');
    if (refused.length > 0)
      throw new Error(
        [
          `${countOf(outcomes.length - refused.length)} of ${outcomes.length} changed. Not changed:`,
          ...refused.map(
            ({ sellers, message }) =>
              `${sellers.map(nameOf).join(', ')}: ${message ?? 'no reason was given'}`,
          ),
        ].join('\n'),
      );
    const waiting = outcomes.filter(({ status }) => status !== 'completed').length;
    const are = outcomes.length === 1 ? 'is' : 'are';
    return waiting === 0
      ? `${countOf(outcomes.length)} ${what === 'pause' ? `${are} paused` : 'may run again'}.`
      : `The sellers were asked; ${countOf(waiting)} of ${outcomes.length} still ${waiting === 1 ? 'waits' : 'wait'} for an answer.`;
  };
  return (
    <ConfirmButton
      label={deed === 'resume' ? 'Resume' : isSmall ? 'Pause' : 'Pause everything'}
      size={isSmall ? 'compact-xs' : 'sm'}
      variant="default"
      startsOpen={filters['do'] === deed && !isSmall}
      blocked={chosen.length === 0 ? 'Select at least one buy.' : undefined}
      act={() => change(deed, chosen)}
      undo={() => change(opposite[deed], chosen)}
      done=""
    >
      <Stack gap="xs">
        <p className="panel-note">
          {deed === 'pause'
            ? 'Nothing is delivered until somebody lets it run again. Money that is booked stays booked.'
            : 'The selected buys may deliver again. One that was paused before its first day, or before it had a creative, shows as paused until its seller reports that it runs.'}
        </p>
        {of.map((row) => (
          <Checkbox
            key={row.media_buy_id}
            label={row.sellers.map((slug) => clean(nameOf(slug), 60)).join(', ')}
            description={`${moneyText(row.left, row.currency, 'whole')} not delivered yet${row.buyer_ref === undefined ? '' : ` · ${clean(row.buyer_ref, 60)}`}`}
            checked={!left.includes(row.media_buy_id)}
            onChange={({ currentTarget: { checked } }) =>
              setLeft((old) =>
                checked ? old.filter((id) => id !== row.media_buy_id) : [...old, row.media_buy_id],
              )
            }
          />
        ))}
      </Stack>
    </ConfirmButton>
  );
}
