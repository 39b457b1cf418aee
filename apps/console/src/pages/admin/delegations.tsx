import { Alert, Button, Code, CopyButton, Group, NativeSelect, Stack } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Explained } from '../../parts/explained.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { SellerName } from '../../parts/seller-name.js';
import { PageHead } from '../../parts/page-head.js';
import { PrincipalName } from '../../parts/principal-name.js';
import { Quiet } from '../../parts/quiet.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay, useRows } from '../../parts/use-rows.js';
import { choice, currency, day, decimal, needed, seller, text, useForm } from '../../parts/forms/use-form.js';

type Delegation = Answer<'GET /v1/delegations'>['delegations'][number];

const columns: readonly Column<Delegation>[] = [
  { title: 'Who', cell: ({ principal_id: id }) => <PrincipalName id={id} /> },
  { title: 'Seller', cell: ({ seller }) => <SellerName of={seller} /> },
  { title: 'Tasks', cell: ({ tasks }) => clean(tasks.join(', '), 120) },
  {
    title: 'State',
    cell: (row) => (
      <Explained
        kind="delegation"
        of={row.state}
        evidence={
          <>
            Until <Time at={row.until} />, for <Name of={row.tasks.join(', ')} most={300} />.
          </>
        }
        cli="npx switchyard delegations list"
      />
    ),
  },
  { title: 'Until', cell: ({ until }) => <Time at={until} dateOnly /> },
  {
    title: 'Budget',
    isNumber: true,
    cell: ({ budget, committed, currency }) => (
      <>
        <Money amount={budget} currency={currency} />
        {budget !== null && (
          <Quiet>
            <Money amount={committed} /> committed
          </Quiet>
        )}
      </>
    ),
  },
  {
    title: 'Passed on',
    cell: ({ principal_id: id, seller }) => (
      <>
        <Go to="/agents/calls" search={{ principal_id: id, seller }}>
          Trail
        </Go>
        <Quiet>
          <Go
            to="/agents"
            search={{ seller, principal_id: id }}
            aria-label={`Where to send requests to ${seller}`}
          >
            Where to send
          </Go>
        </Quiet>
      </>
    ),
  },
  { title: 'Act', cell: (row) => <Revoke delegation={row} /> },
];

/** What brands allow this relay to forward for them: to whom, until when and for how much. */
export function DelegationsPage() {
  const [filters, set] = useFilters();
  const state = filters['state'] ?? 'all';
  const delegations = usePages(
    'GET /v1/delegations',
    'delegations',
    state === 'all' ? {} : { state: worded(state) },
  );
  return (
    <>
      <PageHead title="Brand agents">
        What a brand lets this relay pass on for it: to which seller, until when, for how much.
      </PageHead>
      <Stack>
        {filters['seller'] && filters['principal_id'] && (
          <Addresses
            seller={filters['seller']}
            principalId={filters['principal_id']}
            onClose={() => set({ seller: undefined, principal_id: undefined })}
          />
        )}
        <Group>
          <NativeSelect
            label="State"
            data={['all', 'active', 'expired', 'revoked']}
            value={state}
            onChange={({ currentTarget }) => set({ state: currentTarget.value })}
          />
        </Group>
        <div>
          <DataTable
            label="Delegations"
            pages={delegations}
            columns={columns}
            empty={
              <EmptyState title="Nothing is delegated">
                Without a delegation nothing that a brand signed is passed on. Grant the first below.
              </EmptyState>
            }
          />
        </div>
        {useMay()('delegations.write') && <Grant onGranted={set} />}
      </Stack>
    </>
  );
}

function Revoke({ delegation }: { readonly delegation: Delegation }) {
  if (!useMay()('delegations.delete') || delegation.state !== 'active') return '–';
  return (
    <ConfirmButton
      label="Revoke"
      size="compact-sm"
      color="bad"
      variant="outline"
      reason="optional"
      done="The delegation is revoked."
      act={async (reason) => {
        const query = reason === '' ? {} : { reason };
        await api('DELETE /v1/delegations/{id}', { params: { id: delegation.delegation_id }, query });
      }}
    >
      Nothing more is passed on to {delegation.seller} under it. What is on its way is not called back.
    </ConfirmButton>
  );
}

const addresses = [
  ['Send to, over MCP', 'relay_mcp_url'],
  ['Sign for, over MCP', 'seller_mcp_url'],
  ['Send to, over A2A', 'relay_a2a_url'],
  ['Sign for, over A2A', 'seller_a2a_url'],
  ['Callback for the seller', 'callback_url'],
] as const;

/** Where a brand sends its sealed requests to a seller, and for which address it signs them. */
function Addresses({
  seller,
  principalId,
  onClose,
}: {
  readonly seller: string;
  readonly principalId: string;
  readonly onClose: () => void;
}) {
  const query = useAnswer('GET /v1/relay/{name}/address', {
    params: { name: seller },
    query: { principal_id: principalId },
  });
  return (
    <Alert
      color="gray"
      variant="outline"
      role="status"
      title={`Where to send requests to ${clean(seller, 63)}`}
      withCloseButton
      closeButtonLabel="Close the addresses"
      onClose={onClose}
    >
      {query.isError && <ErrorPanel error={query.error} again={() => void query.refetch()} />}
      {query.isSuccess && (
        <Facts
          label="Addresses"
          of={Object.fromEntries(
            addresses.flatMap(([label, member]) => {
              const address = query.data[member];
              return address === null ? [] : [[label, <Address key={member} of={address} />]];
            }),
          )}
        />
      )}
    </Alert>
  );
}

function Address({ of }: { readonly of: string }) {
  return (
    <Group gap="xs">
      <Code style={{ overflowWrap: 'anywhere' }}>{of}</Code>
      <CopyButton value={of}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

const asked = {
  seller: needed(seller({ label: 'To the seller', description: 'Where it may be passed on' })),
  tasks: needed(
    text('Tasks', 'Names with commas between, such as get_products, create_media_buy', {
      first: 'create_media_buy',
    }),
  ),
  until: needed(day('Until', 'Its last day, by UTC')),
  budget: decimal('Budget', 'Empty: none is set'),
  currency: currency('Currency', 'ISO 4217', 'USD'),
  evidence: text('Evidence', 'What shows that the brand agrees, for example a contract', {
    maxLength: 500,
  }),
};

function Grant({ onGranted }: { readonly onGranted: (changes: Readonly<Record<string, string>>) => void }) {
  const may = useMay();
  const me = useMe().data;
  const principals = useRows(
    'GET /v1/principals',
    ({ principals: all }) => all.toSorted((a, b) => Number(b.kind === 'brand') - Number(a.kind === 'brand')),
    { query: { revoked: 'false' } },
    may('principals.read'),
  );
  // A brand grants for itself. It sees no list of principals.
  const isForSelf = !may('principals.read');
  const delegators = Object.fromEntries(
    principals.rows.map(({ principal_id: id, name, kind }) => [id, `${clean(name, 60)} (${kind})`]),
  );
  const form = useForm({
    principal_id: needed(
      choice(
        'Who delegates',
        { '': 'Choose', ...delegators },
        'Who signs the requests. A brand is added under People.',
      ),
    ),
    ...asked,
  });
  const shown = ['seller', 'tasks', 'until', 'budget', 'currency'] as const;
  const principal = isForSelf ? (me?.principal_id ?? '') : form.typed.principal_id;
  const grant = async (): Promise<void> => {
    const { tasks, until, budget, currency: of, ...rest } = form.filled();
    await api('POST /v1/delegations', {
      body: {
        ...rest,
        principal_id: principal,
        tasks: tasks.split(/[\s,]+/).filter(Boolean),
        until: `${until}T23:59:59Z`,
        ...(budget !== undefined && { budget, ...(of !== undefined && { currency: of }) }),
      },
    });
    onGranted({ seller: rest.seller, principal_id: principal });
  };
  return (
    <ActForm
      title="Grant a delegation"
      label="Grant"
      done="The delegation is granted."
      act={grant}
      isReady={principal !== '' && form.isReady(shown)}
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {form.inputs(isForSelf ? shown : ['principal_id', ...shown, 'evidence'])}
      </Group>
    </ActForm>
  );
}
