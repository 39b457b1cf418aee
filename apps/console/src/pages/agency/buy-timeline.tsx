import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { Name } from '../../parts/name.js';
import { HistoryList, type Moment } from '../../parts/history-list.js';
import { Panel } from '../../parts/panel.js';
import { moneyText } from '../../parts/money.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import type { Buy } from './buy-actions.js';
import { isRefused } from './buy-legs.js';

const changeWords: Readonly<Record<string, string>> = {
  pause: 'Paused',
  resume: 'Resumed',
  cancel: 'Cancelled',
  update_dates: 'Dates changed',
  add_packages: 'Lines added',
  remove_packages: 'Line cancelled',
};

type Change = Buy['changes'][number];

/** What a change did, with the new budget of a line. */
function changeText({ action, detail }: Change, currency: string): string {
  const { budget, paused, creatives } = detail;
  if (typeof budget === 'string' || typeof budget === 'number')
    return `Budget changed to ${moneyText(String(budget), currency)}`;
  if (typeof paused === 'boolean') return paused ? 'Line paused' : 'Line resumed';
  if (creatives !== undefined) return 'Creatives changed';
  return changeWords[action] ?? `Changed: ${action.replaceAll('_', ' ')}`;
}

/** A line by its own name, else by that of its product. */
const lineText = ({ packages }: Buy, id: string): string => {
  const part = packages.find(({ package_id: own }) => own === id);
  return part === undefined ? id : (part.buyer_ref ?? part.product_id);
};

/** The history of a buy, newest first: changes, requests that failed, webhooks and reports, approvals. */
export function BuyTimeline({ buy }: { readonly buy: Buy }) {
  const me = useMe().data;
  const nameOf = useSellerNames();
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
    {
      at: buy.created_at,
      kind: 'bought',
      tone: 'accent',
      title: `Ordered, ${moneyText(buy.total_budget, buy.currency, 'whole')}`,
      text: <By actor="buyer" by={buy.created_by} owner={buy} />,
    },
    ...buy.changes.map((change) => ({
      at: change.at,
      kind: change.action,
      tone: 'accent' as const,
      title: changeText(change, buy.currency),
      text: (
        <>
          <SellerName of={change.seller} size={16} />
          {change.package_id !== undefined && (
            <>
              {' · '}
              <Name of={lineText(buy, change.package_id)} most={60} />
            </>
          )}
          {' · '}
          <By actor={change.actor} by={change.by} owner={buy} />
        </>
      ),
    })),
    ...buy.legs.filter(isRefused).map(({ requested_at: at, seller, task, reason }) => ({
      at,
      kind: `failed ${task}`,
      tone: 'bad' as const,
      title: `${nameOf(seller)} refused${task === 'create_media_buy' ? '' : `: ${task.replaceAll('_', ' ')}`}`,
      text: reason !== undefined && <Name of={`“${reason}”`} most={200} />,
    })),
    ...(events.data?.events ?? []).map(({ received_at: at, seller, kind, state, explanation, reason }) => ({
      at,
      kind: `${kind} ${state}`,
      plural: `${kind.replaceAll('_', ' ')}s, ${state}`,
      tone: state === 'applied' ? ('good' as const) : ('warn' as const),
      title: `${nameOf(seller)}: ${kind.replaceAll('_', ' ')}`,
      text: (
        <>
          {state} {(explanation ?? reason) !== undefined && <Name of={explanation ?? reason} most={200} />}
        </>
      ),
    })),
    ...(approvals.data?.approvals ?? []).flatMap((approval) => [
      {
        at: approval.since,
        kind: 'approval',
        tone: 'accent' as const,
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
              kind: 'approval decided',
              tone: approval.state === 'denied' ? ('bad' as const) : ('good' as const),
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
  ];
  return (
    <Panel title="What happened">
      {events.isLoading && <Loader role="status" size="sm" aria-label="Loading what happened" />}
      <HistoryList of={moments} />
    </Panel>
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
