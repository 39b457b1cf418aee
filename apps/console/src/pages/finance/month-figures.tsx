import { Table } from '@mantine/core';
import { type ReactNode } from 'react';
import { type Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, Money } from '../../parts/money.js';
import { FactList, Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, monthName } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';

type Month = Answer<'GET /v1/periods/{period}'>;

const sum = (amounts: readonly string[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount) ?? 0n), 0n));

/** The amounts of each currency that closing would fix. */
export function IfYouClose({ month }: { readonly month: Month }) {
  const currencies = [...new Set(month.sellers.map(({ currency }) => currency))];
  const isClosed = month.state === 'closed';
  return (
    <Panel
      title={isClosed ? 'What is fixed' : 'If you close now'}
      about={isClosed ? undefined : 'what is fixed'}
    >
      {currencies.length === 0 && <p className="panel-small">No seller has figures in this month.</p>}
      {currencies.map((currency) => {
        const rows = month.sellers.filter((row) => row.currency === currency);
        const of = (pick: (row: Month['sellers'][number]) => string): ReactNode => (
          <Money amount={sum(rows.map(pick))} currency={currency} show="cents" />
        );
        const unexplained = sum(rows.map(({ open_amount: amount }) => amount));
        return (
          <div key={currency} className="permission">
            <FactList
              of={{
                Delivered: of(({ delivered }) => delivered),
                Invoiced: of(({ invoiced }) => invoiced),
                Accrued: of(({ accrued }) => accrued),
                'In dispute': of(({ disputed }) => disputed),
                'Not explained': (
                  <b className="toned" data-tone={unexplained === '0' ? 'good' : 'bad'}>
                    {of(({ open_amount: amount }) => amount)}
                  </b>
                ),
              }}
            />
          </div>
        );
      })}
      <p className="panel-small">
        Nothing in {monthName(month.period).split(' ')[0]} changes after closing. A late figure goes to the
        next open month and names this one.
      </p>
    </Panel>
  );
}

export function Documents({ period }: { readonly period: string }) {
  return (
    <Panel title="Documents">
      <ul className="plain-list">
        <li>
          <Go to="/reports/statements" search={{ period }}>
            Make a statement
          </Go>
        </li>
        <li>
          <Go to={`/close/${period}`} search={{ tab: 'Accruals' }}>
            Accruals
          </Go>
        </li>
        <li>
          <Go to="/reports" search={{ by: 'client,seller', from: period, to: period }}>
            Spend of the month
          </Go>
        </li>
      </ul>
    </Panel>
  );
}

export function MonthsBefore({ period }: { readonly period: string }) {
  const { data } = useAnswer('GET /v1/periods');
  const others = (data?.periods ?? []).filter((other) => other.period !== period).slice(0, 6);
  if (others.length === 0) return undefined;
  return (
    <Panel title="Other months">
      <ul className="plain-list" aria-label="Periods">
        {others.map((other) => (
          <li key={other.period}>
            <Go to={`/close/${other.period}`}>{monthName(other.period)}</Go>
            <small>
              {' '}
              {other.state === 'closed' && other.closed_at !== undefined
                ? `closed ${dayText(other.closed_at)}`
                : other.state.replace('_', ' ')}
            </small>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function BySeller({ month }: { readonly month: Month }) {
  const rows = month.sellers.toSorted((a, b) => b.open_breaks - a.open_breaks);
  return (
    <Panel
      title={`${monthName(month.period).split(' ')[0] ?? ''} by seller`}
      about="invoices without fees, tax and commission"
      isFlush
    >
      {rows.length === 0 ? (
        <p className="panel-note">No seller has figures in this month.</p>
      ) : (
        <ScrollTable label="The month by seller" className="stacks">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Seller</Table.Th>
              {['Delivered', 'Invoiced', 'Difference', 'Accrued'].map((title) => (
                <Table.Th key={title} className="number">
                  {title}
                </Table.Th>
              ))}
              <Table.Th>Currency</Table.Th>
              <Table.Th>State</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => {
              const difference = decimal((micros(row.invoiced) ?? 0n) - (micros(row.delivered) ?? 0n));
              return (
                <Table.Tr key={`${row.seller} ${row.currency}`}>
                  <Table.Td>
                    <SellerName of={row.seller} />
                  </Table.Td>
                  <Table.Td className="number" data-title="Delivered">
                    <Money amount={row.delivered} show="cents" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Invoiced">
                    <Money amount={row.invoiced} show="cents" />
                  </Table.Td>
                  <Table.Td className="number" data-title="Difference">
                    <Money amount={difference} show="cents" isDifference />
                  </Table.Td>
                  <Table.Td className="number" data-title="Accrued">
                    {row.accrued === '0' ? '–' : <Money amount={row.accrued} show="cents" />}
                  </Table.Td>
                  <Table.Td data-title="Currency">{row.currency}</Table.Td>
                  <Table.Td data-title="State">
                    {row.open_breaks > 0 ? (
                      <StatusBadge of={`${row.open_breaks} open`} tone="warn" />
                    ) : row.disputed !== '0' ? (
                      <StatusBadge of="In dispute" tone="warn" />
                    ) : row.invoiced === '0' ? (
                      <StatusBadge of="Not invoiced" tone="gray" />
                    ) : (
                      <StatusBadge of="Agrees" tone="good" />
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

/** What was delivered by the end of the month and is not invoiced. */
export function Accrued({ month }: { readonly month: Month }) {
  const rows = month.sellers.filter(({ accrued }) => accrued !== '0');
  if (rows.length === 0)
    return (
      <EmptyState title="Nothing is left without an invoice">
        All that was delivered by the end of {monthName(month.period)} is billed, or nothing was delivered.
      </EmptyState>
    );
  return (
    <Panel title="Delivered and not invoiced" about="posted when the month is closed" isFlush>
      <ScrollTable label="Accruals">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Seller</Table.Th>
            <Table.Th className="number">Accrued</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.seller} ${row.currency}`}>
              <Table.Td>
                <SellerName of={row.seller} />
              </Table.Td>
              <Table.Td className="number">
                <Money amount={row.accrued} currency={row.currency} show="cents" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}
