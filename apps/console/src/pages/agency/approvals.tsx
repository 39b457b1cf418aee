import { Button, Card, Group, Loader, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api, type Answer } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { AskedChange } from '../../parts/asked-change.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { PrintButton } from '../../parts/print.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useRows } from '../../parts/use-rows.js';
import { AnswerForm } from './answer-form.js';

type Approval = Answer<'GET /v1/approvals'>['approvals'][number];

const kinds: Readonly<Record<Approval['kind'], string>> = {
  internal: 'Over a limit: one of us decides',
  control: 'A limit, a role or a rule would change: another of us decides',
  seller: 'The seller asks something',
  in_review: 'The seller has a person look at it',
  creative_review: 'The seller reviews a creative',
  needs_look: 'Nobody knows what became of it',
};

/** What an approval and a denial do; of a change of ours, no seller is asked. */
const outcomes = {
  buy: {
    approved: 'Approved. The page of the buy says what its sellers answer.',
    approves: 'The request goes to its sellers at once.',
    denied: 'Denied. No seller was called.',
    denies: 'Nothing is ordered, and who asked is told why.',
  },
  change: {
    approved: 'Approved: the change is made.',
    approves: 'The change is made at once.',
    denied: 'Denied. Nothing was changed.',
    denies: 'Nothing changes, and who asked is told why.',
  },
} as const;

/** The command that does what waits, or that shows what has ended. */
function commandFor({ approval_id: id, can_answer, state }: Approval): string {
  if (id === undefined) return 'npx switchyard approvals list';
  if (can_answer) return `npx switchyard approvals answer ${id} --set member=value`;
  return `npx switchyard approvals ${state === 'open' ? 'approve' : 'show'} ${id}`;
}

/** Everything that waits for a person, here or at a seller. */
export function ApprovalsPage() {
  const [filters, setFilters] = useFilters();
  const { state, operation_id, approval_id } = filters;
  const isOne = approval_id !== undefined;
  const list = usePages(
    'GET /v1/approvals',
    'approvals',
    { state: state === 'all' ? undefined : worded(state ?? 'open'), operation_id },
    !isOne,
  );
  const one = useRows(
    'GET /v1/approvals/{id}',
    (found) => [found],
    { params: { id: approval_id ?? '' } },
    isOne,
  );
  const pages = isOne ? one : list;
  return (
    <Stack>
      <PageHead title="Approvals" actions={<PrintButton />}>
        What waits for a person.
      </PageHead>
      <NativeSelect
        className="on-screen"
        label="Show"
        maw={340}
        value={state ?? ''}
        onChange={({ currentTarget }) => setFilters({ state: currentTarget.value, approval_id: undefined })}
        data={[
          { value: '', label: 'What is open' },
          { value: 'all', label: 'Everything, also what sellers look at' },
        ]}
      />
      {(operation_id !== undefined || isOne) && (
        <Text size="sm">
          Only one request is shown. <Go to="/inbox/approvals">Show all that is open</Go>
        </Text>
      )}
      {pages.isPending && <Loader role="status" aria-label="Loading approvals" />}
      {pages.isError && <ErrorPanel error={pages.error} again={() => void pages.refetch()} />}
      {pages.isSuccess && pages.rows.length === 0 && (
        <EmptyState title="Nothing waits for a person">
          When a buy is over a limit, or a seller asks something, it stands here.{' '}
          <Go to="/inbox/approvals" search={{ state: 'all' }}>
            Show what was decided
          </Go>
        </EmptyState>
      )}
      {pages.rows.map((row) => (
        <ApprovalCard
          key={`${row.approval_id ?? ''} ${row.operation_id ?? ''} ${row.creative_id ?? ''} ${row.since}`}
          approval={row}
        />
      ))}
      {pages.hasNextPage && (
        <Button variant="default" w="fit-content" onClick={() => void pages.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Stack>
  );
}

/** The server says which of its permissions a change of a control needs. */
function mayDecideOn(
  kind: Approval['kind'],
  holds: (
    permission: 'media_buys.approve' | 'ledger.approve' | 'principals.write' | 'sellers.approve',
  ) => boolean,
): boolean {
  if (kind === 'internal') return holds('media_buys.approve');
  return (
    kind === 'control' &&
    (holds('media_buys.approve') ||
      holds('ledger.approve') ||
      holds('principals.write') ||
      holds('sellers.approve'))
  );
}

function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const client = useQueryClient();
  const me = useMe().data;
  const isOpen = approval.decided_at === undefined && approval.closed_at === undefined;
  const id = approval.approval_id ?? '';
  const isOwn = approval.asked_by === me?.principal_id;
  const isChange = approval.kind === 'control';
  const mayWithdraw = isOwn && isChange && isOpen && approval.state === 'open';
  const mayDecide =
    me !== null &&
    me !== undefined &&
    mayDecideOn(approval.kind, (permission) => may(me, permission)) &&
    isOpen &&
    !mayWithdraw;
  const words = outcomes[isChange ? 'change' : 'buy'];
  const decide = async (decision: 'approve' | 'deny', reason: string): Promise<void> => {
    const sent = { params: { id }, body: { ...(reason !== '' && { reason }) } };
    await (decision === 'approve'
      ? api('POST /v1/approvals/{id}/approve', sent)
      : api('POST /v1/approvals/{id}/deny', sent));
    await client.invalidateQueries({ queryKey: ['approvals'] });
  };
  const withdraw = async (): Promise<void> => {
    await api('POST /v1/approvals/{id}/withdraw', { params: { id } });
    await client.invalidateQueries({ queryKey: ['approvals'] });
  };
  return (
    <Card withBorder component="article" aria-label={`${kinds[approval.kind]}: ${approval.task}`}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Text fw={600}>{kinds[approval.kind]}</Text>
          {isChange && (
            <Text size="sm">
              <AskedChange of={approval} />
            </Text>
          )}
          <Text size="sm">
            <Name of={approval.reason} most={600} />
          </Text>
        </div>
        <Status
          of={approval.state}
          explain={{
            why: <Name of={approval.reason} most={1_000} />,
            since: approval.since,
            evidence: (
              <Name
                of={`${approval.task.replaceAll('_', ' ')}, ${approval.subject ?? `operation ${approval.operation_id ?? ''}`}`}
              />
            ),
            next:
              approval.on_approval ??
              (approval.can_answer ? 'Answer it on this page.' : 'Wait: the seller decides.'),
            cli: commandFor(approval),
          }}
        />
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs" my="xs">
        <Text size="sm">
          Amount: <Money amount={approval.amount} currency={approval.currency} />
        </Text>
        <Text size="sm">
          Client: <Name of={approval.client} />
        </Text>
        <Text size="sm">
          Brand: <Name of={approval.brand} />
        </Text>
        <Text size="sm">
          Sellers: <Name of={approval.sellers.join(', ') || approval.seller} />
        </Text>
        <Text size="sm">
          Asked by: <Name of={approval.asked_by_name ?? approval.asked_by} />
        </Text>
        <Text size="sm" component="div">
          Since: <Time at={approval.since} />
        </Text>
        {approval.expires_at !== undefined && (
          <Text size="sm" component="div">
            Until: <Time at={approval.expires_at} />
          </Text>
        )}
        {approval.decided_by !== undefined && (
          <Text size="sm" component="div">
            Decided by: <Name of={approval.decided_by_name ?? approval.decided_by} />{' '}
            <Name of={approval.decision_reason} />
            {approval.holders_of_both !== undefined && (
              <>
                {' '}
                Who asked and who decided can both be <Name of={approval.holders_of_both.join(', ')} />.
              </>
            )}
          </Text>
        )}
        {approval.media_buy_id !== undefined && (
          <Go to={`/buys/${encodeURIComponent(approval.media_buy_id)}`}>Open the buy</Go>
        )}
      </SimpleGrid>
      {approval.can_answer && <AnswerForm approval={approval} />}
      {mayDecide && (
        <Group>
          {isOwn && <Text size="sm">You asked for this: another person has to approve it.</Text>}
          <ConfirmButton
            label="Approve"
            disabled={isOwn}
            reason="optional"
            act={(reason) => decide('approve', reason)}
            done={words.approved}
          >
            <Text>{approval.on_approval ?? words.approves}</Text>
          </ConfirmButton>
          <ConfirmButton
            label="Deny"
            color="bad"
            reason="optional"
            act={(reason) => decide('deny', reason)}
            done={words.denied}
          >
            <Text>{words.denies}</Text>
          </ConfirmButton>
        </Group>
      )}
      {mayWithdraw && (
        <Group>
          <Text size="sm">You asked for this: another person has to approve it.</Text>
          <ConfirmButton
            label="Withdraw"
            variant="default"
            act={withdraw}
            done="Withdrawn. Nothing was changed."
          >
            <Text>Nobody is asked any more, and nothing changes.</Text>
          </ConfirmButton>
        </Group>
      )}
    </Card>
  );
}
