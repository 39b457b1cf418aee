import { Alert, Group, List, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, ApiFailure, type Answer, type JsonObject } from '../../../api/client.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { moneyText } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { StatusBadge } from '../../../parts/status.js';

type Preview = Answer<'POST /v1/buys/dry-run'>;

/** The expected result of the buy, before it is confirmed. Sellers are only asked for their catalogues. */
export function PlanCheck({
  make,
  onBlocked,
}: {
  /** Makes the request; called while the dialog is open and the plan is complete. */
  readonly make: () => JsonObject;
  /** Gets why the plan cannot be confirmed; undefined where it can. */
  readonly onBlocked: (why: string | undefined) => void;
}) {
  const request = make();
  const { idempotency_key: _new, ...plan } = request;
  const check = useQuery({
    queryKey: ['plan check', plan],
    queryFn: ({ signal }) => api('POST /v1/buys/dry-run', { body: request, signal }),
    staleTime: 0,
    retry: false,
  });
  const isRefused =
    check.data?.outcome === 'refused' ||
    (check.error instanceof ApiFailure && refusals.has(check.error.status));
  const blocked = check.isPending
    ? 'The plan is being checked.'
    : isRefused
      ? 'It would be refused. Change the plan first.'
      : undefined;
  useEffect(() => {
    onBlocked(blocked);
    return () => onBlocked(undefined);
  }, [blocked]);
  if (check.isPending)
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" />
        <Text size="sm">The plan is checked with its sellers. This takes five seconds at most.</Text>
      </Group>
    );
  if (check.isError) return <ErrorPanel error={check.error} />;
  const { outcome, approval_reason: reason, campaign, sellers, problems, findings, limits } = check.data;
  return (
    <Stack gap="xs" role="region" aria-label="Check of the plan">
      <Alert color={tones[outcome]} variant="outline" p="xs">
        {outcome === 'approval' && reason !== null ? (
          <>
            {words.approval} <Name of={reason} most={500} />
          </>
        ) : (
          words[outcome]
        )}
      </Alert>
      <Messages of={[...problems, ...findings]} />
      <Text size="sm">
        {campaign === null ? 'It goes under no campaign.' : 'It goes under the campaign '}
        {campaign !== null && (
          <>
            <Name of={campaign} />.
          </>
        )}
      </Text>
      {sellers.map((seller) => (
        <div key={seller.seller}>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              <Name of={seller.seller} />
            </Text>
            <StatusBadge of={seller.ok ? 'ok' : 'problem'} tone={seller.ok ? 'good' : 'bad'} />
            {seller.total !== null && (
              <Text size="sm">{moneyText(seller.total, check.data.currency ?? '')}</Text>
            )}
          </Group>
          <Messages of={[...seller.problems, ...seller.findings]} />
        </div>
      ))}
      {limits.map((limit) => (
        <Text size="sm" key={`${limit.for} ${limit.per ?? ''}`}>
          <Name of={limit.for} />: {limitText(limit)}
        </Text>
      ))}
    </Stack>
  );
}

/** What the order itself would be answered with. */
const refusals = new Set([400, 403, 404, 409, 422]);

const tones = { sent: 'good', approval: 'warn', refused: 'bad' } as const;

const words = {
  sent: 'The buy goes to its sellers as soon as you confirm.',
  approval: 'Another person is asked before any seller is called.',
  refused: 'The buy would be refused. Change the plan first.',
} as const;

function limitText({ exceeded, limit, left_after: left, currency, per }: Preview['limits'][number]): string {
  if (limit === null || left === null) return exceeded ? 'the buy is over this limit.' : 'within this limit.';
  const whole = `${moneyText(limit, currency)}${per === null ? '' : ` a ${per}`}`;
  return exceeded
    ? `the buy is over this limit of ${whole}.`
    : `${moneyText(left, currency)} of ${whole} are left after the buy.`;
}

function Messages({
  of,
}: {
  readonly of: readonly { readonly message: string; readonly suggestion?: string }[];
}) {
  if (of.length === 0) return undefined;
  return (
    <List size="sm">
      {of.map(({ message, suggestion = '' }) => (
        <List.Item key={message}>
          <Name of={`${message} ${suggestion}`.trim()} most={600} />
        </List.Item>
      ))}
    </List>
  );
}
