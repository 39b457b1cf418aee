import { Card, Loader, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type Answer } from '../../../api/client.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { decimal, micros, Money } from '../../../parts/money.js';
import { monthAfter } from '../../../parts/month.js';
import { Name } from '../../../parts/name.js';
import { lastDayOf } from '../buy-status.js';
import { monthsOf, spread } from './plan-months.js';
import { ScrollTable } from '../../../parts/scroll-table.js';

type Campaign = Answer<'GET /v1/campaigns'>['campaigns'][number];
type Buy = Answer<'GET /v1/buys'>['media_buys'][number];

/** What the buys of a campaign in its currency spend in each month, each spread over its days. */
export function boughtByMonth(buys: readonly Buy[], currency: string): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const buy of buys) {
    const months = monthsOf(buy.start_time.slice(0, 10), lastDayOf(buy));
    if (buy.currency !== currency || months.length === 0) continue;
    for (const [month, part] of spread(micros(buy.current_total_budget) ?? 0n, months))
      sums.set(month, (sums.get(month) ?? 0n) + part);
  }
  return sums;
}

/** Pages of 500 buys that are added up at most. */
const mostPages = 10;

/** The plan of a campaign by month beside its buys and this one, and what is left. */
export function CampaignPlan({
  campaign: { campaign_id: id, name, currency, plan },
  adds,
}: {
  readonly campaign: Campaign;
  /** Micros of this buy, by month. */
  readonly adds: ReadonlyMap<string, bigint>;
}) {
  const months = [...new Set([...Object.keys(plan), ...adds.keys()])].sort();
  const [first, last] = [months[0], months.at(-1)];
  const bought = useQuery({
    queryKey: ['buys', 'by month', id, first, last],
    enabled: first !== undefined && last !== undefined,
    queryFn: async ({ signal }) => {
      const end = Date.parse(`${monthAfter(last ?? '', 1)}-01T00:00:00Z`) - 1;
      const [runsFrom, runsTo] = [`${first ?? ''}-01`, new Date(end).toISOString().slice(0, 10)];
      const buys: Buy[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < mostPages && (page === 0 || cursor !== undefined); page += 1) {
        const query = { campaign: id, runs_from: runsFrom, runs_to: runsTo, limit: '500', cursor };
        const answer = await api('GET /v1/buys', { query, signal });
        buys.push(...answer.media_buys);
        cursor = answer.next_cursor;
      }
      return { sums: boughtByMonth(buys, currency), isAll: cursor === undefined, count: buys.length };
    },
  });
  if (months.length === 0) return undefined;
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        Plan of <Name of={name} /> by month
      </Title>
      {bought.isPending && <Loader size="xs" role="status" aria-label="Loading the buys of the campaign" />}
      {bought.isError && <ErrorPanel error={bought.error} again={() => void bought.refetch()} />}
      {bought.isSuccess && (
        <>
          <ScrollTable label="Plan by month" className="stacks">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Month</Table.Th>
                {['Planned', 'Other buys', 'This buy', 'Left'].map((title) => (
                  <Table.Th key={title} className="number">
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {months.map((month) => {
                const planned = plan[month];
                const [others, own] = [bought.data.sums.get(month) ?? 0n, adds.get(month) ?? 0n];
                const left = planned === undefined ? undefined : (micros(planned) ?? 0n) - others - own;
                return (
                  <Table.Tr key={month}>
                    <Table.Th scope="row">{month}</Table.Th>
                    <Table.Td className="number" data-title="Planned">
                      <Money amount={planned} currency={currency} />
                    </Table.Td>
                    <Table.Td className="number" data-title="Other buys">
                      <Money amount={decimal(others)} currency={currency} />
                    </Table.Td>
                    <Table.Td className="number" data-title="This buy">
                      <Money amount={decimal(own)} currency={currency} />
                    </Table.Td>
                    <Table.Td className="number" data-title="Left">
                      <span>
                        {left !== undefined && left < 0n ? 'over by ' : ''}
                        <Money
                          amount={left === undefined ? undefined : decimal(left < 0n ? -left : left)}
                          currency={currency}
                        />
                      </span>
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </ScrollTable>
          <Text size="xs" c="dimmed">
            Other buys in {currency} of the campaign, each spread over its days
            {bought.data.isAll ? '.' : `: the newest ${bought.data.count} that run in these months.`}
            {Object.keys(plan).length === 0 && ' The campaign has no plan by month.'}
          </Text>
        </>
      )}
    </Card>
  );
}
