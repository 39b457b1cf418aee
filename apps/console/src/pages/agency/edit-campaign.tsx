import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DateInput } from '../../parts/forms/date-input.js';
import { useMay, useRefresh } from '../../parts/use-rows.js';

type Campaign = Answer<'GET /v1/campaigns'>['campaigns'][number];

const statuses = ['planned', 'active', 'closed'] as const;

/** Changes a campaign: its name, budget, flight, status and owner. */
export function EditCampaign({
  campaign,
  isLarge = false,
  label = 'Edit the campaign',
  preset = {},
}: {
  readonly campaign: Campaign;
  readonly isLarge?: boolean;
  readonly label?: string;
  /** What stands in the fields at first, instead of what holds now. */
  readonly preset?: Readonly<Partial<Record<'budget' | 'from' | 'to', string>>>;
}) {
  const before = {
    name: campaign.name,
    budget: campaign.budget ?? '',
    from: campaign.from,
    to: campaign.to,
    status: campaign.status,
    owner: campaign.owner ?? '',
  };
  const [typed, setTyped] = useState<Partial<typeof before>>({});
  const refresh = useRefresh();
  const mayWrite = useMay()('clients.write');
  if (!mayWrite) return undefined;
  const now = { ...before, ...preset, ...typed };
  const names = Object.keys(before) as readonly (keyof typeof before)[];
  const changes = names.flatMap((name) => (now[name] === before[name] ? [] : [[name, now[name].trim()]]));
  const set = (change: typeof typed): void => setTyped((old) => ({ ...old, ...change }));
  const act = async (): Promise<void> => {
    const body = Object.fromEntries(changes) as typeof typed;
    await api('POST /v1/campaigns/{id}', { params: { id: campaign.campaign_id }, body });
    await refresh();
    setTyped({});
  };
  return (
    <ConfirmButton
      label={label}
      size={isLarge ? 'sm' : 'compact-xs'}
      variant="default"
      blocked={changes.length === 0 ? 'Nothing is changed yet.' : undefined}
      act={act}
      done="The campaign is changed."
    >
      <Stack gap="xs">
        <TextInput
          label="Name"
          required
          data-autofocus
          maxLength={200}
          value={now.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <TextInput
          label={`Budget in ${campaign.currency}`}
          required
          value={now.budget}
          onChange={({ currentTarget }) => set({ budget: currentTarget.value })}
        />
        <DateInput label="First day" required value={now.from} onChange={(from) => set({ from })} />
        <DateInput label="Last day" required value={now.to} onChange={(to) => set({ to })} />
        <NativeSelect
          label="Status"
          description="A closed campaign accepts no buys."
          data={[...statuses]}
          value={now.status}
          onChange={({ currentTarget }) => set({ status: currentTarget.value as Campaign['status'] })}
        />
        <TextInput
          label="Owner"
          description="Name of a person or an agent that can see the campaign."
          maxLength={200}
          value={now.owner}
          onChange={({ currentTarget }) => set({ owner: currentTarget.value })}
        />
      </Stack>
    </ConfirmButton>
  );
}
