import { Group, Stack, Text } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Money } from '../../parts/money.js';
import { Go } from '../../parts/go.js';
import { AskedChange } from '../../parts/asked-change.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScopeSelect, useScopeText } from '../../parts/forms/scope-select.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { choice, currency, decimal, needed, own, useForm } from '../../parts/forms/use-form.js';

type Limit = Answer<'GET /v1/limits'>['limits'][number];

const columns: readonly Column<Limit>[] = [
  {
    title: 'For',
    text: ({ for: whom, name }) => name ?? whom,
    cell: ({ for: whom, name }) => <Whom of={whom} name={name} />,
  },
  {
    title: 'Limit',
    isNumber: true,
    cell: ({ limit, currency }) => <Money amount={limit} currency={currency} />,
  },
  { title: 'Per', cell: ({ per }) => per ?? 'in all' },
  {
    title: 'Above it',
    cell: ({ above }) => (above === 'ask' ? 'another person is asked' : 'is refused'),
  },
  { title: 'Committed', isNumber: true, cell: ({ committed }) => <Money amount={committed} /> },
  { title: 'Pending', isNumber: true, cell: ({ pending }) => <Money amount={pending} /> },
  {
    title: 'Left',
    isNumber: true,
    cell: ({ left, missing_rate_from: from }) =>
      from !== undefined ? (
        `no rate from ${from}`
      ) : (
        <Text inherit span {...(isBelowZero(left) && { c: 'bad' })}>
          <Money amount={left} />
        </Text>
      ),
  },
  { title: 'Set', cell: ({ set_at: at }) => <Time at={at} dateOnly /> },
  { title: 'Act', cell: (row) => <Remove limit={row} /> },
];

const isBelowZero = (left: string | null): boolean => left?.startsWith('-') === true;

const fixed: Readonly<Record<string, string>> = {
  organization: 'The whole organization',
  'each-buy': 'Each buy by itself',
  'new-brand': 'The first buy for a brand',
};

/** Whom a limit holds for, by name. */
function Whom({ of, name }: { readonly of: string; readonly name: string | undefined }) {
  const text = useScopeText()(of);
  const [kind = ''] = of.split(':');
  return name === undefined ? (
    <Name of={fixed[of] ?? text} />
  ) : (
    <>
      <Name of={name} most={80} />
      {fixed[of] === undefined && <Quiet>{kind.replace('-', ' ')}</Quiet>}
    </>
  );
}

/** Changes of limits that wait for another person. */
function Asked() {
  const may = useMay();
  const { data } = useAnswer(
    'GET /v1/approvals',
    { query: { state: 'open', limit: '100' } },
    may('media_buys.read'),
  );
  const asked = (data?.approvals ?? []).filter(
    ({ kind, task }) => kind === 'control' && task.includes('limit'),
  );
  if (asked.length === 0) return undefined;
  return (
    <Panel
      title="Asked for"
      about="each waits for another person"
      acts={<Go to="/inbox/approvals">To approve</Go>}
    >
      <ul className="plain-list" aria-label="Changes that wait">
        {asked.map((request) => (
          <li key={request.approval_id}>
            <AskedChange of={request} />
            <Quiet>
              asked by <Name of={request.asked_by_name} most={60} />, <Time at={request.since} ago />
            </Quiet>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Spending limits, and what is left of each. */
export function LimitsPage() {
  const limits = usePages('GET /v1/limits', 'limits', {});
  const mayWrite = useMay()('ledger.write');
  return (
    <>
      <PageHead title="Limits">What may be spent, and what is committed against it.</PageHead>
      <Stack>
        <div>
          <DataTable
            label="Limits"
            pages={limits}
            columns={columns}
            empty={
              <EmptyState title="There are no limits">
                {mayWrite
                  ? 'Set a limit below: for the organization, a client, a brand, or for each buy.'
                  : 'Somebody with the permission ledger.write sets limits. Your role may not see all that apply to you.'}
              </EmptyState>
            }
          />
        </div>
        <Asked />
        {mayWrite && <AddLimit />}
      </Stack>
    </>
  );
}

function Remove({ limit }: { readonly limit: Limit }) {
  if (!useMay()('ledger.write')) return '–';
  return (
    <ConfirmButton
      label="Remove"
      size="compact-sm"
      variant="default"
      done="The limit is removed."
      act={() => api('DELETE /v1/limits/{id}', { params: { id: limit.limit_id } })}
    >
      Nothing holds back what is bought for {limit.for} any more, unless another limit does.
    </ConfirmButton>
  );
}

const asked = {
  for: needed(
    own(
      (value, set) => (
        <ScopeSelect
          label="For"
          description="Type the beginning of a name."
          fixed={{ organization: 'the whole organization', 'each-buy': 'each buy by itself' }}
          parts={['client', 'brand', 'seller']}
          value={value}
          onChange={set}
        />
      ),
      'organization',
    ),
  ),
  amount: needed(decimal('Amount', 'For example 2500.50, without commas')),
  currency: needed(currency('Currency', 'ISO 4217', 'USD')),
  per: choice('Per', { month: 'month', all: 'in all' }, 'A month is one of UTC'),
  above: choice(
    'What goes above it',
    { ask: 'waits for an approval', refuse: 'is refused' },
    'Another person approves',
  ),
};

/** Sets a limit: for what is chosen in it, or for `holder` alone. */
export function AddLimit({ holder }: { readonly holder?: string }) {
  const form = useForm(asked);
  const shown = ['amount', 'currency', 'per', 'above'] as const;
  const set = (): Promise<unknown> => {
    const { for: chosen, per, ...limit } = form.filled();
    return api('POST /v1/limits', {
      body: { ...limit, for: holder ?? chosen, ...(per === 'month' && { per }) },
    });
  };
  return (
    <ActForm
      title="Set a limit"
      label="Set the limit"
      done="The limit holds from now on."
      isReady={form.isReady()}
      act={set}
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {form.inputs(holder === undefined ? ['for', ...shown] : shown)}
      </Group>
    </ActForm>
  );
}
