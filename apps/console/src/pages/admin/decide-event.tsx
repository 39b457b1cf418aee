import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean } from '../../parts/name.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Event = Answer<'GET /v1/events/{id}'>;

/** The decision of a person about a held webhook, and about others that are held for the same reason. */
export function DecideEvent({ event }: { readonly event: Event }) {
  const isAllowed = useMay()('ledger.approve');
  const twins = useTwins(event, isAllowed);
  const [isForAll, setForAll] = useState(false);
  if (!isAllowed || event.state !== 'quarantined') return undefined;
  const decide =
    (route: 'POST /v1/events/{id}/admit' | 'POST /v1/events/{id}/dismiss', done: string) =>
    async (reason: string): Promise<string> => {
      const ids = [event.event_id, ...(isForAll ? twins : [])];
      const failures: string[] = [];
      // One after another, in the order in which they came: a later report may build on an earlier one.
      for (const id of ids)
        try {
          await api(route, { params: { id }, body: { reason } });
        } catch (failure) {
          if (id === event.event_id) throw failure;
          failures.push(failure instanceof Error ? failure.message : String(failure));
        }
      // The page of a decided webhook has no dialog any more: what failed is said beside it.
      if (failures.length > 0)
        return `${ids.length - failures.length} of ${ids.length} are ${done}. The others: ${[...new Set(failures)].join(' ')}`;
      return ids.length === 1 ? `It is ${done}.` : `${ids.length} webhooks are ${done}.`;
    };
  const others = twins.length > 0 && (
    <SameFor count={twins.length} seller={event.seller} isChecked={isForAll} set={setForAll} />
  );
  return (
    <>
      <ConfirmButton
        label="Refuse"
        variant="default"
        reason="required"
        done=""
        act={decide('POST /v1/events/{id}/dismiss', 'refused')}
      >
        <Stack gap="xs">
          It stays in the record and changes nothing.
          {others}
        </Stack>
      </ConfirmButton>
      <ConfirmButton
        label="Take it over"
        reason="required"
        done=""
        act={decide('POST /v1/events/{id}/admit', 'taken over and booked')}
      >
        <Stack gap="xs">
          What it says is booked as if it had been trusted from the start.
          {others}
        </Stack>
      </ConfirmButton>
    </>
  );
}

function SameFor({
  count,
  seller,
  isChecked,
  set,
}: {
  readonly count: number;
  readonly seller: string;
  readonly isChecked: boolean;
  readonly set: (isChecked: boolean) => void;
}) {
  const nameOf = useSellerNames();
  return (
    <Checkbox
      label={`The same for ${count} ${count === 1 ? 'other' : 'others'} of ${clean(nameOf(seller), 60)}, held for the same reason`}
      checked={isChecked}
      onChange={({ currentTarget: { checked } }) => set(checked)}
    />
  );
}

/** The ids of others of the seller that are of the same kind and held for the same reason, the oldest first. */
function useTwins(
  { event_id: id, seller, kind, reason, state }: Event,
  isAllowed: boolean,
): readonly string[] {
  const { data } = useAnswer(
    'GET /v1/events',
    { query: { seller, state: 'quarantined', limit: '100', sort: 'oldest' } },
    isAllowed && state === 'quarantined',
  );
  return (data?.events ?? [])
    .filter((one) => one.event_id !== id && one.kind === kind && one.reason === reason)
    .map(({ event_id: own }) => own);
}
