import { NativeSelect } from '@mantine/core';
import { useFilters } from '../../parts/filters.js';
import { clean } from '../../parts/name.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

const most = { query: { limit: '100' } };

/** The filters `client` and `campaign` of a page, by name: the first hundred of each. */
export function ClientCampaignSelects({
  description,
  hasNone = true,
}: {
  readonly description?: string;
  /** Whether the list can be filtered by what has no campaign. */
  readonly hasNone?: boolean;
}) {
  const [filters, setFilters] = useFilters();
  const maySee = useMay()('clients.read');
  const clients = useAnswer('GET /v1/clients', most, maySee).data?.clients ?? [];
  const campaigns = useAnswer('GET /v1/campaigns', most, maySee).data?.campaigns ?? [];
  const named = [
    ['client', 'Client', clients.map(({ client_id: value, name }) => ({ value, label: clean(name, 60) }))],
    [
      'campaign',
      'Campaign',
      [
        ...(hasNone ? [{ value: 'none', label: 'None: not assigned' }] : []),
        ...campaigns.map(({ campaign_id: value, name }) => ({ value, label: clean(name, 60) })),
      ],
    ],
  ] as const;
  return named.map(([name, label, data]) => (
    <NativeSelect
      key={name}
      label={label}
      {...(description !== undefined && { description })}
      w={160}
      value={filters[name] ?? ''}
      onChange={({ currentTarget }) => setFilters({ [name]: currentTarget.value })}
      data={[
        { value: '', label: 'All' },
        ...data,
        // One that is not among the first hundred, from a link.
        ...(filters[name] && !data.some(({ value }) => value === filters[name])
          ? [{ value: filters[name], label: 'The one of the link' }]
          : []),
      ]}
    />
  ));
}
