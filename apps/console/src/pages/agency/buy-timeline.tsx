import { Loader, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { Name } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import type { Buy } from './buy-actions.js';
import { isRefused } from './buy-legs.js';

interface Moment {
  readonly at: string;
  readonly title: string;
  readonly text: ReactNode;
}

/** The history of a buy, newest first: changes, requests that failed, webhooks and reports, approvals. */
export function BuyTimeline({ buy }: { readonly buy: Buy }) {
  const me = useMe().data;
  const { media_buy_id: id } = buy;
  const mayReports = me !== null && me !== undefined && may(me, 'reports.read');
  const events = useQuery({
    queryKey: ['events', 'of', id],
    queryFn: ({ signal }) =>
      api('GET /v1/events', { query: { media_buy_id: id, counts: 'no', limit: '100' }, signal }),
    enabled: mayReports,
  });
  const approvals = useQuery({
    queryKey: ['approvals', 'of', id],
    queryFn: ({ signal }) =>
      api('GET /v1/approvals', {
        query: { operation_id: buy.operation_id, limit: '50' },
        signal,
      }),
  });
  const moments: Moment[] = [
    { at: buy.created_at, title: 'Bought', text: <By actor="buyer" by={buy.created_by} owner={buy} /> },
    ...buy.changes.map(({ at, seller, actor, by, action, package_id: part }) => ({
      at,
      title: action.replaceAll('_', ' '),
      text: (
        <>
          <Name of={seller} />
          {part !== undefined && (
            <>
              {' · '}
              <Name of={part} />
            </>
          )}
          {' · '}
          <By actor={actor} by={by} owner={buy} />
        </>
      ),
    })),
    ...buy.legs.filter(isRefused).map(({ requested_at: at, seller, task, reason }) => ({
      at,
      title: `Failed: ${task.replaceAll('_', ' ')}`,
      text: (
        <>
          <Name of={seller} /> {reason !== undefined && <Name of={reason} most={200} />}
        </>
      ),
    })),
    ...(events.data?.events ?? []).map(({ received_at: at, seller, kind, state, explanation, reason }) => ({
      at,
      title: `Webhook: ${kind.replaceAll('_', ' ')}`,
      text: (
        <>
          <Name of={seller} />: {state}{' '}
          {(explanation ?? reason) !== undefined && <Name of={explanation ?? reason} most={200} />}
        </>
      ),
    })),
    ...(approvals.data?.approvals ?? []).flatMap((approval) => [
      {
        at: approval.since,
        title: 'Approval asked',
        text: (
          <>
            {(approval.asked_by_name ?? approval.asked_by) !== undefined && (
              <>
                by <Name of={approval.asked_by_name ?? approval.asked_by} />:{' '}
              </>
            )}
            <Name of={approval.reason} most={200} />
          </>
        ),
      },
      ...(approval.decided_at === undefined
        ? []
        : [
            {
              at: approval.decided_at,
              title: `Approval: ${approval.state}`,
              text: (
                <>
                  by <Name of={approval.decided_by_name ?? approval.decided_by} />
                  {approval.decision_reason !== undefined && (
                    <>
                      : <Name of={approval.decision_reason} most={200} />
                    </>
                  )}
                </>
              ),
            },
          ]),
    ]),
  ].toSorted((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <section aria-label="Timeline">
      <Title order={2} size="h4" mb="xs">
        Timeline
      </Title>
      {events.isLoading && <Loader role="status" size="sm" aria-label="Loading the timeline" />}
      <Timeline bulletSize={12} lineWidth={2} active={moments.length}>
        {moments.slice(0, 200).map(({ at, title, text }, index) => (
          <Timeline.Item key={`${at} ${index}`} title={title}>
            <Text size="sm">{text}</Text>
            <Text size="xs" c="dimmed">
              <Time at={at} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </section>
  );
}

type Owner = Pick<Buy, 'client' | 'brand' | 'brand_name'>;

/** The author of a change: the person or agent of the request and its client, or the seller itself. */
function By({
  actor,
  by,
  owner,
}: {
  readonly actor: string;
  readonly by: string | null;
  readonly owner: Owner;
}) {
  if (actor === 'seller') return <>by the seller</>;
  return (
    <>
      by <Name of={by ?? 'the buyer'} /> <For owner={owner} />
      {actor === 'compensation' && ', taken back because another seller refused'}
    </>
  );
}

function For({ owner: { client, brand, brand_name: name } }: { readonly owner: Owner }) {
  const whom = [client, name ?? brand].filter((text) => text !== null);
  return whom.length === 0 ? undefined : (
    <>
      for <Name of={whom.join(' / ')} />
    </>
  );
}
