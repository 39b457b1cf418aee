import { Table } from '@mantine/core';
import { PacingBar } from '../../parts/charts.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName } from '../../parts/seller-name.js';
import { Status } from '../../parts/status.js';
import type { Buy } from './buy-actions.js';

type Leg = Buy['legs'][number];

export const isRefused = ({ task_status: status }: Leg): boolean =>
  status === 'failed' || status === 'rejected';
const settled = new Set(['completed', 'failed', 'rejected', 'canceled']);

/** The state of the latest request at each seller, and who must act. */
export function BuyLegs({ buy }: { readonly buy: Buy }) {
  const latest = [...new Map(buy.legs.map((leg) => [leg.seller, leg])).values()];
  return (
    <Panel title="Sellers" about="one order each" isFlush>
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
              <Table.Th>Seller</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Pacing</Table.Th>
              <Table.Th className="number">Delivered</Table.Th>
              <Table.Th className="number">Ordered</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {latest.map((leg) => {
              const own = buy.packages.filter(({ seller }) => seller === leg.seller);
              const delivered = sum(own.map(({ spend }) => spend));
              const ordered = sum(own.map(({ current_budget: budget }) => budget));
              return (
                <Table.Tr key={leg.leg_id}>
                  <Table.Td>
                    <SellerName of={leg.seller} size={27} />
                    <Quiet>
                      {leg.task.replaceAll('_', ' ')}
                      {isRefused(leg) && ' failed'}
                      {leg.seller_media_buy_id !== undefined && (
                        <>
                          {' · '}
                          <Name of={leg.seller_media_buy_id} />
                        </>
                      )}
                    </Quiet>
                    <Quiet>
                      <Name of={leg.reason ?? waitsFor(leg)} most={300} />
                    </Quiet>
                  </Table.Td>
                  <Table.Td data-title="State">
                    <Status of={leg.status ?? leg.task_status} explain={explain(leg, buy.media_buy_id)} />
                  </Table.Td>
                  <Table.Td data-title="Pacing">
                    <PacingBar delivered={delivered} budget={ordered} currency={buy.currency} width={92} />
                  </Table.Td>
                  <Table.Td className="number" data-title="Delivered">
                    <Money amount={delivered} show="whole" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Ordered">
                    <Money amount={ordered} currency={buy.currency} show="whole" />
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

const sum = (amounts: readonly (string | null | undefined)[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount ?? '0') ?? 0n), 0n));

function waitsFor(leg: Leg): string {
  if (leg.waits_for_person === true) return 'It waits for a person.';
  if (!settled.has(leg.task_status)) return 'It waits for the answer of the seller.';
  return leg.status === 'pending_creatives' ? 'It waits for creatives.' : 'The seller has answered.';
}

function explain(leg: Leg, buyId: string) {
  return {
    why: <Name of={leg.reason ?? waitsFor(leg)} most={1_000} />,
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
