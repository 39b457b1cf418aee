import { Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Money } from '../../parts/money.js';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScopeSelect, useScopeText } from '../../parts/forms/scope-select.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { bindText } from '../../parts/forms/bind-text.js';

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
            <b>
              <Name of={request.subject ?? request.task.replaceAll('_', ' ')} most={80} />
            </b>{' '}
            {request.before !== undefined && <Name of={request.before} most={80} />}
            {request.after !== undefined && (
              <>
                {' '}
                → <Name of={request.after} most={80} />
              </>
            )}
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

/** Sets a limit: for what is chosen in it, or for `holder` alone. */
export function AddLimit({ holder }: { readonly holder?: string }) {
  const [chosen, setWhom] = useState('organization');
  const whom = holder ?? chosen;
  const [amount, setAmount] = useState('');
  const [currency, setCurrency] = useState('USD');
  const [per, setPer] = useState('month');
  const [above, setAbove] = useState('ask');
  return (
    <ActForm
      title="Set a limit"
      label="Set the limit"
      done="The limit holds from now on."
      isReady={whom.trim() !== '' && amount.trim() !== '' && currency.trim().length === 3}
      act={() =>
        api('POST /v1/limits', {
          body: {
            for: whom.trim(),
            amount: amount.trim(),
            currency: currency.trim().toUpperCase(),
            ...(per === 'month' && { per }),
            above: above as 'ask' | 'refuse',
          },
        })
      }
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {holder === undefined && (
          <ScopeSelect
            label="For"
            description="Type the beginning of a name."
            fixed={{ organization: 'the whole organization', 'each-buy': 'each buy by itself' }}
            parts={['client', 'brand', 'seller']}
            value={whom}
            onChange={setWhom}
          />
        )}
        <TextInput
          label="Amount"
          description="For example 2500.50, without commas"
          required
          inputMode="decimal"
          {...bindText(amount, setAmount)}
        />
        <TextInput
          label="Currency"
          description="ISO 4217"
          required
          maxLength={3}
          {...bindText(currency, setCurrency)}
        />
        <NativeSelect
          label="Per"
          description="A month is one of UTC"
          data={[
            { value: 'month', label: 'month' },
            { value: 'all', label: 'in all' },
          ]}
          {...bindText(per, setPer)}
        />
        <NativeSelect
          label="What goes above it"
          description="Another person approves"
          data={[
            { value: 'ask', label: 'waits for an approval' },
            { value: 'refuse', label: 'is refused' },
          ]}
          {...bindText(above, setAbove)}
        />
      </Group>
    </ActForm>
  );
}
