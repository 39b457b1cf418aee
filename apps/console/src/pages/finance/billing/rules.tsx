import { SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../../api/client.js';
import { DataTable, type Column } from '../../../parts/data-table.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { ActForm } from '../../../parts/forms/act-form.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { DateInput, isDay } from '../../../parts/forms/date-input.js';
import { ScopeSelect } from '../../../parts/forms/scope-select.js';
import { Go } from '../../../parts/go.js';
import { Money } from '../../../parts/money.js';
import { clean, Name } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { Panel } from '../../../parts/panel.js';
import { Quiet } from '../../../parts/quiet.js';
import { SellerName } from '../../../parts/seller-name.js';
import { dayText, Time } from '../../../parts/time.js';
import { usePages } from '../../../parts/use-pages.js';
import { useMay, useRows } from '../../../parts/use-rows.js';
import { AddCompany, BillClient } from './parties.js';
import { bases, ruleKinds } from './words.js';
import {
  choice,
  currency,
  day,
  decimal,
  needed,
  own,
  seller,
  useForm,
} from '../../../parts/forms/use-form.js';

type Entity = Answer<'GET /v1/billing/entities'>['entities'][number];
type Billed = Answer<'GET /v1/billing/clients'>['clients'][number];
type Rule = Answer<'GET /v1/billing/rules'>['rules'][number];

const entityColumns: readonly Column<Entity>[] = [
  {
    title: 'Company',
    cell: ({ name, address }) => (
      <>
        <b>
          <Name of={name} most={80} />
        </b>
        <Quiet>
          {clean(`${address.street}, ${address.post_code} ${address.city}, ${address.country}`, 200)}
        </Quiet>
      </>
    ),
    text: ({ name }) => name,
  },
  { title: 'Tax id', cell: ({ tax_id: id }) => <Name of={id} /> },
  {
    title: 'Next number',
    cell: ({ series, next_number: next }) => (
      <Name of={next.startsWith(series) ? next : `${series}${next.padStart(5, '0')}`} />
    ),
  },
  { title: 'Currency', cell: ({ currency }) => currency },
  { title: 'Clients pay to', cell: ({ iban }) => (iban === undefined ? '–' : clean(iban, 40)) },
];

const billedColumns: readonly Column<Billed>[] = [
  {
    title: 'Client',
    cell: ({ client, name }) => (
      <>
        <Name of={client} most={60} />
        <Quiet>
          <Name of={name} most={80} />
        </Quiet>
      </>
    ),
    text: ({ client }) => client,
  },
  { title: 'Billed by', cell: ({ entity }) => <Name of={entity} most={60} />, text: ({ entity }) => entity },
  {
    title: 'Tax',
    isNumber: true,
    cell: ({ tax_percent: percent, tax_category: category }) => `${percent}% (${category})`,
  },
  { title: 'Pays within', isNumber: true, cell: ({ term_days: days }) => `${String(days)} days` },
  { title: 'Sees', cell: ({ detail }) => (detail === 'open' ? 'media and markup' : 'one amount') },
  { title: 'Mail', cell: ({ email }) => <Name of={email} most={80} /> },
];

const priceOf = ({ percent, amount, currency }: Rule) =>
  percent === undefined ? <Money amount={amount} currency={currency} /> : `${percent}%`;

const ruleColumns: readonly Column<Rule>[] = [
  {
    title: 'For',
    cell: ({ client, campaign, seller: slug }) => (
      <>
        <Name of={client ?? 'Every client'} most={60} />
        {campaign !== undefined && (
          <Quiet>
            <Name of={campaign} most={60} />
          </Quiet>
        )}
        {slug !== undefined && (
          <Quiet>
            <SellerName of={slug} />
          </Quiet>
        )}
      </>
    ),
    text: ({ client }) => client ?? '',
  },
  {
    title: 'Rule',
    cell: ({ kind, basis }) => (
      <>
        {ruleKinds[kind]}
        {(kind === 'cost_plus' || kind === 'commission') && <Quiet>{bases[basis]}</Quiet>}
      </>
    ),
    text: ({ kind }) => kind,
  },
  { title: 'Price', isNumber: true, cell: priceOf, text: ({ percent, amount }) => percent ?? amount },
  { title: 'At most', isNumber: true, cell: ({ cap }) => <Money amount={cap} /> },
  { title: 'From', cell: ({ starts_on: day }) => dayText(day), text: ({ starts_on: day }) => day },
  { title: 'Until', cell: ({ ends_on: day }) => (day === undefined ? '–' : dayText(day)) },
  {
    title: 'Set',
    cell: ({ set_by: by, set_at: at }) => (
      <>
        <Name of={by} most={60} /> <Time at={at} ago />
      </>
    ),
  },
  { title: 'Act', cell: (rule) => <EndRule rule={rule} /> },
];

/** Who bills clients, how each client is billed, and what it pays; with what waits for a second person. */
export function BillingRulesPage() {
  const may = useMay();
  const entities = useRows('GET /v1/billing/entities', (answer) => answer.entities);
  const billed = useRows('GET /v1/billing/clients', (answer) => answer.clients);
  const rules = useRows('GET /v1/billing/rules', (answer) => answer.rules);
  return (
    <>
      <PageHead title="Rules and companies">
        A company bills, a rule says what a client pays. Both change once a second person approves it.
      </PageHead>
      <div className="column">
        <Waiting />
        <Panel title="Rules" about="the most specific one of a kind holds" isFlush>
          <DataTable
            label="Rules of what clients pay"
            pages={rules}
            columns={ruleColumns}
            empty={
              <EmptyState title="No rule is set">
                Without a rule nothing of a client is billed, and a run says so.
              </EmptyState>
            }
          />
        </Panel>
        {may('ledger.write') && <AddRule />}
        <Panel title="Clients" about="by whom and how each is billed" isFlush>
          <DataTable
            label="Billed clients"
            pages={billed}
            columns={billedColumns}
            empty={
              <EmptyState title="No client is billed yet">Say below by whom a client is billed.</EmptyState>
            }
          />
        </Panel>
        <Panel title="Companies" about="each has numbers of its own, without gaps" isFlush>
          <DataTable
            label="Companies that bill"
            pages={entities}
            columns={entityColumns}
            empty={<EmptyState title="No company is here">Add the company that your clients pay.</EmptyState>}
          />
        </Panel>
        {may('ledger.write') && (
          <div className="two-columns">
            <BillClient entities={entities.rows} />
            <AddCompany />
          </div>
        )}
      </div>
    </>
  );
}

const waitingTasks: ReadonlySet<string> = new Set([
  'set_legal_entity',
  'set_billing_rule',
  'end_billing_rule',
  'void_client_payment',
]);

/** Changes of billing that another person has to approve. */
function Waiting() {
  const open = usePages('GET /v1/approvals', 'approvals', { state: 'open' }, useMay()('media_buys.read'));
  const own = open.rows.filter(({ kind, task }) => kind === 'control' && waitingTasks.has(task));
  if (own.length === 0) return undefined;
  return (
    <Panel
      title="Waits for a second person"
      acts={<Go to="/inbox/approvals">Decide in the inbox</Go>}
      about={`${String(own.length)} ${own.length === 1 ? 'change' : 'changes'}`}
    >
      <ul className="plain-list">
        {own.map(({ approval_id: id, subject, reason, asked_by_name: by, since }) => (
          <li key={id}>
            <b>
              <Name of={subject} most={200} />
            </b>
            <Quiet>
              <Name of={reason} most={300} /> Asked by <Name of={by} most={60} /> <Time at={since} ago />
            </Quiet>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function EndRule({ rule: { rule_id: id, ends_on: ends } }: { readonly rule: Rule }) {
  const [day, setDay] = useState(new Date().toISOString().slice(0, 10));
  const mayWrite = useMay()('ledger.write');
  if (ends !== undefined || !mayWrite) return '–';
  return (
    <ConfirmButton
      label="End"
      size="compact-xs"
      variant="default"
      done="The rule ends on that day."
      blocked={isDay(day) ? undefined : 'Write a day.'}
      act={() => api('POST /v1/billing/rules/{id}/end', { params: { id }, body: { ends_on: day } })}
    >
      <DateInput label="Last day" value={day} onChange={setDay} required />
    </ConfirmButton>
  );
}

const asked = {
  scope: own(
    (value, set) => (
      <ScopeSelect
        label="For"
        description="A client or a campaign, by name"
        fixed={{ every: 'Every client' }}
        parts={['client', 'campaign']}
        value={value}
        onChange={set}
      />
    ),
    'every',
  ),
  seller: seller({
    label: 'At the seller',
    description: 'Only what is bought there',
    none: 'Every seller',
  }),
  kind: choice('What the client pays', ruleKinds, 'Media, or a fee beside it'),
  basis: choice('Of', bases, 'Which amount is billed'),
  percent: needed(decimal('Percent', 'As 8 or 12.5')),
  cap: decimal('At most', 'Media of a campaign, over all months'),
  currency: needed(currency('Currency', 'As EUR')),
  amount: needed(decimal('Amount', 'Without tax')),
  starts_on: needed(day('From')),
  ends_on: day('Until'),
};

function AddRule() {
  const form = useForm(asked, { kind: 'cost_plus', basis: 'delivered' });
  const isMedia = form.typed.kind === 'cost_plus' || form.typed.kind === 'commission';
  const shown = [
    ...(['scope', 'seller', 'kind'] as const),
    ...(isMedia ? (['basis', 'percent', 'cap'] as const) : (['currency', 'amount'] as const)),
    ...(['starts_on', 'ends_on'] as const),
  ];
  const add = async (): Promise<void> => {
    const { scope = '', basis, percent, cap, currency: of, amount, ...rule } = form.filled();
    const [part, id = ''] = scope.split(':');
    await api('POST /v1/billing/rules', {
      body: {
        ...rule,
        ...(part === 'client' && { client_id: id }),
        ...(part === 'campaign' && { campaign_id: id }),
        ...(isMedia ? { basis, percent, ...(cap !== undefined && { cap }) } : { amount, currency: of }),
      },
    });
    form.clear();
  };
  return (
    <ActForm
      title="Add a rule"
      label="Ask for it"
      done="The rule is entered."
      act={add}
      isReady={form.isReady(shown)}
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>{form.inputs(shown)}</SimpleGrid>
    </ActForm>
  );
}
