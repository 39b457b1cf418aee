import { Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { ScopeSelect, useScopeText } from '../../parts/forms/scope-select.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay, useRefresh } from '../../parts/use-rows.js';

type Limit = Answer<'GET /v1/limits'>['limits'][number];

const columns: readonly Column<Limit>[] = [
  { title: 'For', cell: ({ for: whom }) => <Whom of={whom} /> },
  {
    title: 'Limit',
    isNumber: true,
    cell: ({ limit, currency }) => <Money amount={limit} currency={currency} />,
  },
  { title: 'Per', cell: ({ per }) => per ?? 'in all' },
  { title: 'Above it', cell: ({ above }) => (above === 'ask' ? 'waits for an approval' : 'is refused') },
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

function Whom({ of }: { readonly of: string }) {
  return <Name of={useScopeText()(of)} />;
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
        {mayWrite && <Add />}
      </Stack>
    </>
  );
}

function Remove({ limit }: { readonly limit: Limit }) {
  const refresh = useRefresh();
  if (!useMay()('ledger.write')) return '–';
  return (
    <ConfirmButton
      label="Remove"
      size="compact-sm"
      variant="default"
      done="The limit is removed."
      act={async () => {
        await api('DELETE /v1/limits/{id}', { params: { id: limit.limit_id } });
        await refresh();
      }}
    >
      Nothing holds back what is bought for {limit.for} any more, unless another limit does.
    </ConfirmButton>
  );
}

function Add() {
  const [whom, setWhom] = useState('organization');
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
        <ScopeSelect
          label="For"
          description="Type the beginning of a name."
          fixed={{ organization: 'the whole organization', 'each-buy': 'each buy by itself' }}
          parts={['client', 'brand', 'seller']}
          value={whom}
          onChange={setWhom}
        />
        <TextInput
          label="Amount"
          description="For example 2500.50, without commas"
          required
          inputMode="decimal"
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
        />
        <TextInput
          label="Currency"
          description="ISO 4217"
          required
          maxLength={3}
          value={currency}
          onChange={({ currentTarget }) => setCurrency(currentTarget.value)}
        />
        <NativeSelect
          label="Per"
          description="A month is one of UTC"
          data={[
            { value: 'month', label: 'month' },
            { value: 'all', label: 'in all' },
          ]}
          value={per}
          onChange={({ currentTarget }) => setPer(currentTarget.value)}
        />
        <NativeSelect
          label="What goes above it"
          description="Another person approves"
          data={[
            { value: 'ask', label: 'waits for an approval' },
            { value: 'refuse', label: 'is refused' },
          ]}
          value={above}
          onChange={({ currentTarget }) => setAbove(currentTarget.value)}
        />
      </Group>
    </ActForm>
  );
}
