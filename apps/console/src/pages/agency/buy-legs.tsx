import { Table } from '@mantine/core';
import { PacingBar } from '../../parts/charts.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money, percentOf, percentText, sumText } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Avatar } from '../../parts/avatar.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { Status } from '../../parts/status.js';
import { withTimes } from '../../parts/time.js';
import type { Buy } from './buy-actions.js';

type Leg = Buy['legs'][number];

export const isRefused = ({ task_status: status }: Leg): boolean =>
  status === 'failed' || status === 'rejected';
const settled = new Set(['completed', 'failed', 'rejected', 'canceled']);

/** The state of the latest request at each seller, and who must act. */
export function BuyLegs({ buy }: { readonly buy: Buy }) {
  const nameOf = useSellerNames();
  const latest = [...new Map(buy.legs.map((leg) => [leg.seller, leg])).values()];
  return (
    <Panel title="Sellers" about={`one order each, ${buy.currency}`} isFlush>
      {latest.length === 0 ? (
        <p className="panel-note">
          No seller was called yet: a person has to say yes first.{' '}
          <Go to="/inbox/approvals" search={{ operation_id: buy.operation_id }}>
            See who is asked
          </Go>
        </p>
      ) : (
        <ScrollTable label="Sellers, a table" className="stacks">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Seller and line</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Pacing</Table.Th>
              <Table.Th className="number">Delivered</Table.Th>
              <Table.Th className="number">Ordered</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {latest.map((leg) => {
              const own = buy.packages.filter(({ seller }) => seller === leg.seller);
              const delivered = sumText(own.map(({ spend }) => spend));
              const ordered = sumText(own.map(({ current_budget: budget }) => budget));
              return (
                <Table.Tr key={leg.leg_id}>
                  <Table.Td>
                    <span className="with-avatar">
                      <Avatar of={nameOf(leg.seller)} size={27} />
                      <span>
                        <b>
                          <Name of={nameOf(leg.seller)} most={60} />
                        </b>
                        <Quiet>
                          <Name of={linesText(own)} most={80} />
                        </Quiet>
                        {(leg.reason !== undefined ||
                          leg.waits_for_person === true ||
                          !settled.has(leg.task_status)) && (
                          <Quiet>
                            <Name of={withTimes(leg.reason ?? waitsFor(leg))} most={300} />
                          </Quiet>
                        )}
                      </span>
                    </span>
                  </Table.Td>
                  <Table.Td data-title="State">
                    <LegState leg={leg} buy={buy} delivered={delivered} ordered={ordered} />
                  </Table.Td>
                  <Table.Td data-title="Pacing">
                    <PacingBar
                      delivered={delivered}
                      planned={runs(leg) ? evenOf(buy, ordered) : undefined}
                      budget={ordered}
                      currency={buy.currency}
                      width={92}
                    />
                  </Table.Td>
                  <Table.Td className="number" data-title="Delivered">
                    <Money amount={delivered} show="whole" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Ordered">
                    <Money amount={ordered} show="whole" />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Panel>
  );
}

const runs = ({ status }: Leg): boolean => status === 'active';

/** The names of the lines at a seller: their own, or those of their products. */
const linesText = (own: Buy['packages']): string =>
  own
    .map(
      ({ buyer_ref: ref, product_id: product }) =>
        ref ?? (product.split(':').at(-1) ?? product).replaceAll(/[_-]+/g, ' '),
    )
    .join(', ');

/** What would be delivered by now if each day had the same part of the order. */
function evenOf(buy: Buy, ordered: string): string {
  const [start, end] = [Date.parse(buy.start_time), Date.parse(buy.end_time)];
  const part = end > start ? Math.min(1, Math.max(0, (Date.now() - start) / (end - start))) : 1;
  return decimal(((micros(ordered) ?? 0n) * BigInt(Math.round(part * 10_000))) / 10_000n);
}

const legWords: Readonly<Record<string, readonly [words: string, tone: string]>> = {
  active: ['Running', 'good'],
  pending_creatives: ['Waits for a creative', 'warn'],
  pending_start: ['Begins later', 'gray'],
  paused: ['Paused', 'warn'],
  completed: ['Ended', 'gray'],
  canceled: ['Cancelled', 'gray'],
  rejected: ['Refused', 'bad'],
  failed: ['Refused', 'bad'],
  submitted: ['Sent', 'warn'],
  working: ['Sent', 'warn'],
};

/** The state of the order at one seller; one that runs and is behind an even delivery says by how much. */
function LegState({
  leg,
  buy,
  delivered,
  ordered,
}: {
  readonly leg: Leg;
  readonly buy: Buy;
  readonly delivered: string;
  readonly ordered: string;
}) {
  const even = evenOf(buy, ordered);
  const behind = percentOf(even, '1') === 0 ? 0 : 100 - percentOf(delivered, even);
  const isBehind = runs(leg) && micros(even) !== 0n && behind >= 5 && delivered !== '0';
  const [words, tone] = isBehind
    ? ([`Behind by ${percentText(behind)}`, 'warn'] as const)
    : (legWords[leg.status ?? leg.task_status] ?? [
        (leg.status ?? leg.task_status).replaceAll('_', ' '),
        undefined,
      ]);
  return <Status of={words} tone={tone} explain={explain(leg, buy.media_buy_id)} />;
}

function waitsFor(leg: Leg): string {
  if (leg.waits_for_person === true) return 'It waits for a person.';
  if (!settled.has(leg.task_status)) return 'It waits for the answer of the seller.';
  return leg.status === 'pending_creatives' ? 'It waits for creatives.' : 'The seller has answered.';
}

function explain(leg: Leg, buyId: string) {
  return {
    why: <Name of={withTimes(leg.reason ?? waitsFor(leg))} most={1_000} />,
    evidence: (
      <>
        Task {leg.task} is {leg.task_status}
        {leg.observed_by === undefined ? '' : `, known by ${leg.observed_by}`}
        {leg.code === undefined ? '' : `, code ${leg.code}`}
        {leg.signed === true ? ', by a signed message' : ''}.
      </>
    ),
    next: nextOf(leg),
    cli: `npx switchyard buys show ${buyId}`,
  };
}

function nextOf(leg: Leg) {
  if (leg.waits_for_person === true) {
    return (
      <Go to="/inbox/approvals" search={{ operation_id: leg.operation_id }}>
        Answer it under Approvals
      </Go>
    );
  }
  if (isRefused(leg)) {
    return leg.task === 'create_media_buy'
      ? 'Read the reason, change the plan and buy again.'
      : 'Read the reason, and try again. An administrator can test the connection on the page of the seller.';
  }
  if (leg.status === 'pending_creatives') return 'Assign creatives to its packages.';
  return settled.has(leg.task_status)
    ? 'Nothing.'
    : 'The seller is asked again by itself until it has answered.';
}
