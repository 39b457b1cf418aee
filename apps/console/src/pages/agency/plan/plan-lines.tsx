import { Button, Table, TextInput } from '@mantine/core';
import { useState } from 'react';
import { decimal, Money } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { dropLine, putLine, type Line } from './basket.js';
import { PackageCreatives, useLibrary } from './package-creatives.js';
import { sumOf, type FlightMonth } from './plan-months.js';
import { ScrollTable } from '../../../parts/scroll-table.js';

/** The packages of the plan, each with its budget, or its budget in each month. */
export function PlanLines({
  lines,
  months,
}: {
  readonly lines: readonly Line[];
  /** The months that the plan is split by; empty if it is not split. */
  readonly months: readonly FlightMonth[];
}) {
  const [search, setSearch] = useState('');
  const library = useLibrary(search);
  const isSplit = months.length > 0;
  const titles = [
    ...['Product', 'Seller', 'Price'],
    ...(isSplit ? [...months.map(({ month }) => month), 'In all'] : ['Budget']),
    'Bid',
    ...(library === undefined ? [] : ['Creatives']),
    '',
  ];
  return (
    <>
      <ScrollTable label="Packages" className="stacks">
        <Table.Thead>
          <Table.Tr>
            {titles.map((title) => (
              <Table.Th key={title} className={['Price', 'In all'].includes(title) ? 'number' : ''}>
                {title || <span aria-hidden="true" />}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line) => (
            <Table.Tr key={`${line.productId} ${line.pricingOptionId}`}>
              <Table.Td data-title="Product">
                <Name of={line.name} />
              </Table.Td>
              <Table.Td data-title="Seller">
                <Name of={line.seller} />
              </Table.Td>
              <Table.Td className="number" data-title="Price">
                <span>
                  {line.isAuction && 'from '}
                  <Money amount={line.price} currency={line.currency} /> {line.model?.toUpperCase()}
                </span>
              </Table.Td>
              {!isSplit && (
                <Table.Td data-title="Budget">
                  <Budget
                    label={`Budget of ${line.name}`}
                    minimum={line.minimum}
                    value={line.budget}
                    onChange={(budget) => putLine({ ...line, budget })}
                  />
                </Table.Td>
              )}
              {months.map(({ month }) => (
                <Table.Td key={month} data-title={month}>
                  <Budget
                    label={`Budget of ${line.name} in ${month}`}
                    minimum={line.minimum}
                    value={line.months?.[month] ?? ''}
                    onChange={(budget) => putLine(withMonth(line, month, budget, months))}
                  />
                </Table.Td>
              ))}
              {isSplit && (
                <Table.Td className="number" data-title="In all">
                  <Money amount={decimal(sumOf(line, months))} currency={line.currency} />
                </Table.Td>
              )}
              <Table.Td data-title="Bid">
                {line.isAuction ? (
                  <TextInput
                    aria-label={`Bid for ${line.name}`}
                    inputMode="decimal"
                    w={100}
                    value={line.bid}
                    onChange={({ currentTarget }) => putLine({ ...line, bid: currentTarget.value.trim() })}
                  />
                ) : (
                  '–'
                )}
              </Table.Td>
              {library !== undefined && (
                <Table.Td data-title="Creatives">
                  <PackageCreatives line={line} creatives={library.creatives} />
                </Table.Td>
              )}
              <Table.Td>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Remove ${line.name}`}
                  onClick={() => dropLine(line)}
                >
                  Remove
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
      {(library?.hasMore === true || search !== '') && (
        <TextInput
          label="Find a creative"
          description="The newest hundred whose name has this text can be chosen above."
          maw={340}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
    </>
  );
}

/** A product with another budget in a month. Its budget over the whole flight is the sum. */
function withMonth(line: Line, month: string, budget: string, months: readonly FlightMonth[]): Line {
  const next = { ...line, months: { ...line.months, [month]: budget } };
  return { ...next, budget: decimal(sumOf(next, months)) };
}

function Budget({
  label,
  minimum,
  value,
  onChange,
}: {
  readonly label: string;
  readonly minimum: string;
  readonly value: string;
  readonly onChange: (amount: string) => void;
}) {
  return (
    <TextInput
      aria-label={label}
      inputMode="decimal"
      w={120}
      placeholder={minimum === '' ? '0.00' : `from ${minimum}`}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  );
}
