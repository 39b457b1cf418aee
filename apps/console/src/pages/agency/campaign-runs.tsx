import { Table } from '@mantine/core';
import type { Answer } from '../../api/client.js';
import { Avatar } from '../../parts/avatar.js';
import { PacingBar, Spark } from '../../parts/charts.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money, percentOf, percentText } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { NoneYet } from '../../parts/none-yet.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { useAnswer } from '../../parts/use-rows.js';
import { BuyStatus, useBuyText } from './buy-status.js';
import { PauseCampaign, type usePauses } from './campaign-pause.js';
import { budgetOf, cpmOf, lastDays, lessText, type PaceRow } from './pace.js';

type Campaign = Answer<'GET /v1/campaigns/{id}'>;
type Buy = Answer<'GET /v1/buys'>['media_buys'][number];

interface Running {
  readonly key: string;
  readonly sellers: readonly string[];
  readonly buys: readonly Buy[];
  readonly paces: readonly PaceRow[];
}

/** The buys by who has them: those at one seller together, one over several sellers by itself. */
function runningOf(paces: readonly PaceRow[], buys: readonly Buy[]): readonly Running[] {
  const found = new Map<string, Running>();
  for (const pace of paces) {
    const buy = buys.find(({ media_buy_id: id }) => id === pace.media_buy_id);
    const sellers = [...new Set((buy?.sellers ?? []).map(({ seller }) => seller))];
    const key = `${sellers.length === 1 ? (sellers[0] ?? '') : (pace.media_buy_id ?? '')} ${pace.currency}`;
    const before = found.get(key);
    found.set(key, {
      key,
      sellers,
      buys: [...(before?.buys ?? []), ...(buy === undefined ? [] : [buy])],
      paces: [...(before?.paces ?? []), pace],
    });
  }
  return [...found.values()];
}

const sumOf = (paces: readonly PaceRow[], pick: (row: PaceRow) => string | undefined): string =>
  decimal(paces.reduce((all, row) => all + (micros(pick(row) ?? '0') ?? 0n), 0n));

/** How far what runs at a seller is from its plan, in percent of the plan; negative when it is behind. */
const offPlan = ({ paces }: Running): number => {
  const planned = sumOf(paces, ({ planned_through: due }) => due);
  return planned === '0'
    ? 0
    : percentOf(
        lessText(
          sumOf(paces, ({ delivered_through: done }) => done),
          planned,
        ),
        planned,
      );
};

/** The state of what runs at a seller: what it lacks first, then its distance from the plan. */
function RunningState({ of }: { readonly of: Running }) {
  const [buy] = of.buys;
  const lacks = of.buys.find(({ status }) => status === 'pending_creatives');
  if (lacks !== undefined) return <StatusBadge of="No creative" tone="bad" />;
  if (buy !== undefined && of.buys.every(({ status }) => status !== 'active')) return <BuyStatus buy={buy} />;
  const off = offPlan(of);
  if (off <= -5) return <StatusBadge of={`Behind by ${percentText(-off)}`} tone="warn" />;
  if (off >= 10) return <StatusBadge of={`Ahead by ${percentText(off)}`} tone="warn" />;
  return <StatusBadge of="On plan" tone="good" />;
}

/** Where the budget of the campaign runs, seller by seller, what is most behind first. */
export function WhereItRuns({
  campaign,
  buys,
  pauses,
}: {
  readonly campaign: Campaign;
  readonly buys: readonly Buy[];
  readonly pauses: ReturnType<typeof usePauses>;
}) {
  const pace = useAnswer('GET /v1/pacing', {
    query: { campaign_id: campaign.campaign_id, by: 'buy', days: 'true', limit: '100' },
  });
  const nameOf = useSellerNames();
  const nameOfBuy = useBuyText();
  const rows = runningOf(pace.data?.pacing ?? [], buys).toSorted((a, b) => offPlan(a) - offPlan(b));
  const sellers = new Set(rows.flatMap((row) => row.sellers)).size;
  const count = rows.reduce((all, row) => all + row.paces.length, 0);
  return (
    <Panel
      title="Where the money runs"
      about={
        pace.isSuccess
          ? `${count} ${count === 1 ? 'buy' : 'buys'} at ${sellers} ${sellers === 1 ? 'seller' : 'sellers'}, ${campaign.currency}`
          : undefined
      }
      isFlush
      acts={
        pauses !== undefined &&
        pauses.running.length > 0 &&
        pauses.paused.length > 0 && (
          <PauseCampaign campaignId={campaign.campaign_id} deed="resume" of={pauses.paused} isSmall />
        )
      }
    >
      {rows.length === 0 ? (
        <NoneYet query={pace}>Nothing is bought yet.</NoneYet>
      ) : (
        <ScrollTable label="Buys of the campaign against their plan" className="stacks">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Seller</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Pacing</Table.Th>
              <Table.Th className="number">Delivered</Table.Th>
              <Table.Th className="number">Booked</Table.Th>
              <Table.Th className="number">CPM</Table.Th>
              <Table.Th>14 days</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => {
              const [first] = row.buys;
              const planned = sumOf(row.paces, ({ planned_through: due }) => due);
              const series = seriesOf(row.paces, 14);
              return (
                <Table.Tr key={row.key}>
                  <Table.Td>
                    <span className="with-avatar">
                      {row.sellers.slice(0, 3).map((seller) => (
                        <Avatar key={seller} of={nameOf(seller)} size={26} />
                      ))}
                      <span>
                        {row.buys.length === 1 && first !== undefined ? (
                          <Go to={`/buys/${encodeURIComponent(first.media_buy_id)}`}>
                            <Name of={row.sellers.map(nameOf).join(', ')} most={60} />
                          </Go>
                        ) : (
                          <Go to="." search={{ tab: 'Buys' }}>
                            <Name of={row.sellers.map(nameOf).join(', ')} most={60} />
                          </Go>
                        )}
                        <Quiet isOneLine>
                          {row.paces.length === 1 ? '1 buy' : `${row.paces.length} buys`}
                          {first !== undefined && (
                            <>
                              {' '}
                              · <Name of={nameOfBuy(first)} most={28} />
                            </>
                          )}
                        </Quiet>
                      </span>
                    </span>
                  </Table.Td>
                  <Table.Td data-title="State">
                    <RunningState of={row} />
                  </Table.Td>
                  <Table.Td data-title="Pacing">
                    <PacingBar
                      delivered={sumOf(row.paces, ({ delivered }) => delivered)}
                      planned={planned === '0' ? undefined : planned}
                      budget={sumOf(row.paces, budgetOf)}
                      currency={row.paces[0]?.currency ?? campaign.currency}
                      width={64}
                    />
                  </Table.Td>
                  <Table.Td className="number" data-title="Delivered">
                    <Money amount={sumOf(row.paces, ({ delivered }) => delivered)} show="whole" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Booked">
                    <Money
                      amount={sumOf(row.paces, ({ committed }) => committed)}
                      currency={row.paces[0]?.currency === campaign.currency ? null : row.paces[0]?.currency}
                      show="whole"
                    />
                  </Table.Td>
                  <Table.Td className="number" data-title="CPM">
                    <Money amount={cpmOf(row.paces)} show="cents" />
                  </Table.Td>
                  <Table.Td data-title="14 days">
                    {series.length > 1 ? (
                      <Spark of={series} width={52} label="Delivered on the last 14 days with figures" />
                    ) : (
                      '–'
                    )}
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

/** What several rows delivered on each of the last days, for drawing. */
function seriesOf(paces: readonly PaceRow[], count: number): readonly number[] {
  const all = paces.map((row) => lastDays(row, count));
  const most = Math.max(0, ...all.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) =>
    all.reduce((sum, days) => sum + (days[at - most + days.length] ?? 0), 0),
  );
}
