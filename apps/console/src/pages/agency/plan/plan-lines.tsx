import { ActionIcon, Table, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { decimal, micros, Money, moneyText, shortText } from '../../../parts/money.js';
import { clean, Name } from '../../../parts/name.js';
import { monthName } from '../../../parts/time.js';
import { Panel } from '../../../parts/panel.js';
import { ScrollTable } from '../../../parts/scroll-table.js';
import { Avatar } from '../../../parts/avatar.js';
import { Quiet } from '../../../parts/quiet.js';
import { useSellerNames } from '../../../parts/seller-name.js';
import { dropLine, putLine, type Line } from './basket.js';
import { PackageCreatives, useLibrary } from './package-creatives.js';
import { sumOf, type FlightMonth } from './plan-months.js';
import { typedAmount } from './typed-amount.js';
import { bindText } from '../../../parts/forms/bind-text.js';

/** The impressions that an amount buys at a CPM, as a count; undefined for other prices. */
export function impressionsOf(
  amount: string,
  { price, model }: Pick<Line, 'price' | 'model'>,
): string | undefined {
  const [money, each] = [micros(amount), micros(price)];
  if (model !== 'cpm' || money === undefined || each === undefined || each <= 0n) return undefined;
  return ((money * 1_000n) / each).toString();
}

/** The packages of the plan, each with its budget, or its budget in each month. */
export function PlanLines({
  lines,
  months,
}: {
  readonly lines: readonly Line[];
  /** The months that the plan is split by; empty if it is not split. */
  readonly months: readonly FlightMonth[];
}) {
  const nameOf = useSellerNames();
  const [search, setSearch] = useState('');
  const library = useLibrary(search);
  const isSplit = months.length > 0;
  const amountOf = (line: Line): string => (isSplit ? decimal(sumOf(line, months)) : line.budget);
  const impressions = lines.map((line) => impressionsOf(amountOf(line), line));
  const currencies = [...new Set(lines.map(({ currency }) => currency))];
  const areCpm = lines.every(({ model }) => model === 'cpm');
  const titles = [
    ...['Line', areCpm ? 'CPM' : 'Price'],
    ...(isSplit ? [...months.map(({ month }) => month), 'In all'] : ['Budget']),
    'Impressions',
    ...(library === undefined ? [] : ['Creatives']),
    '',
  ];
  const total = (pick: (line: Line) => bigint, currency: string): string =>
    decimal(lines.filter((line) => line.currency === currency).reduce((sum, line) => sum + pick(line), 0n));
  return (
    <Panel
      title="Lines"
      about={`${lines.length} at ${new Set(lines.map(({ seller }) => seller)).size} sellers`}
      isFlush
    >
      <ScrollTable label="Packages" className="stacks">
        <Table.Thead>
          <Table.Tr>
            {titles.map((title) => (
              <Table.Th
                key={title}
                className={
                  ['Price', 'CPM', 'In all', 'Impressions'].includes(title) || /^\d{4}-\d\d$/.test(title)
                    ? 'number'
                    : ''
                }
              >
                {(/^\d{4}-\d\d$/.test(title) ? monthName(title).slice(0, 3) : title) || (
                  <span className="unseen">Remove</span>
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line, at) => (
            <Table.Tr key={`${line.productId} ${line.pricingOptionId}`}>
              <Table.Td data-title="Line">
                <span className="with-avatar plan-line">
                  <Avatar of={nameOf(line.seller)} size={26} />
                  <span>
                    <b title={clean(line.name, 200)}>
                      <Name of={line.name} most={60} />
                    </b>
                    <Quiet>
                      <Name of={nameOf(line.seller)} most={60} />
                    </Quiet>
                  </span>
                </span>
              </Table.Td>
              <Table.Td className="number" data-title="Price">
                <span>
                  {line.isAuction && 'from '}
                  <Money
                    amount={line.price}
                    currency={currencies.length > 1 ? line.currency : null}
                    show="cents"
                  />{' '}
                  {areCpm ? '' : line.model?.toUpperCase()}
                </span>
                {line.isAuction && (
                  <TextInput
                    aria-label={`Bid for ${line.name}`}
                    placeholder="bid"
                    inputMode="decimal"
                    size="xs"
                    w={64}
                    ml="auto"
                    value={line.bid}
                    onChange={({ currentTarget }) => putLine({ ...line, bid: currentTarget.value.trim() })}
                  />
                )}
              </Table.Td>
              {!isSplit && (
                <Table.Td data-title="Budget">
                  <Budget
                    label={`Budget of ${line.name}`}
                    line={line}
                    value={line.budget}
                    onChange={(budget) => putLine({ ...line, budget })}
                  />
                </Table.Td>
              )}
              {months.map(({ month }) => (
                <Table.Td key={month} data-title={month}>
                  <Budget
                    isNarrow
                    label={`Budget of ${line.name} in ${month}`}
                    line={line}
                    value={line.months?.[month] ?? ''}
                    onChange={(budget) => putLine(withMonth(line, month, budget, months))}
                  />
                </Table.Td>
              ))}
              {isSplit && (
                <Table.Td className="number" data-title="In all">
                  <b>
                    <Money amount={amountOf(line)} currency={currencies.length > 1 ? line.currency : null} />
                  </b>
                </Table.Td>
              )}
              <Table.Td className="number" data-title="Impressions">
                {impressions[at] === undefined ? '–' : shortText(impressions[at])}
              </Table.Td>
              {library !== undefined && (
                <Table.Td data-title="Creatives">
                  <PackageCreatives line={line} creatives={library.creatives} />
                </Table.Td>
              )}
              <Table.Td>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${line.name}`}
                  onClick={() => dropLine(line)}
                >
                  <IconTrash size={16} stroke={1.7} aria-hidden="true" />
                </ActionIcon>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          {currencies.map((currency) => (
            <Table.Tr key={currency}>
              <Table.Th scope="row">In all, {currency}</Table.Th>
              <Table.Td />
              {months.map(({ month }) => (
                <Table.Td key={month} className="number" data-title={month}>
                  <Money amount={total((line) => micros(line.months?.[month] ?? '') ?? 0n, currency)} />
                </Table.Td>
              ))}
              <Table.Td className={isSplit ? 'number' : 'sum'} data-title="In all">
                <Money amount={total((line) => micros(amountOf(line)) ?? 0n, currency)} />
              </Table.Td>
              <Table.Td className="number" data-title="Impressions">
                {sumText(impressions.filter((_count, at) => lines[at]?.currency === currency))}
              </Table.Td>
              {library !== undefined && <Table.Td />}
              <Table.Td />
            </Table.Tr>
          ))}
        </Table.Tfoot>
      </ScrollTable>
      {(library?.hasMore === true || search !== '') && (
        <TextInput
          label="Find a creative"
          description="The newest hundred whose name has this text can be chosen above."
          maw={340}
          m="md"
          {...bindText(search, setSearch)}
        />
      )}
    </Panel>
  );
}

/** The sum of counts; those that are not known are left out. */
export function sumText(counts: readonly (string | undefined)[]): string {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0
    ? '–'
    : shortText(known.reduce((sum, count) => sum + BigInt(count), 0n).toString());
}

/** A product with another budget in a month. Its budget over the whole flight is the sum. */
function withMonth(line: Line, month: string, budget: string, months: readonly FlightMonth[]): Line {
  const next = { ...line, months: { ...line.months, [month]: budget } };
  return { ...next, budget: decimal(sumOf(next, months)) };
}

/** A budget as a person types it; its fault stands in the cell. What was understood is what stays. */
function Budget({
  label,
  line: { minimum, currency },
  value,
  onChange,
  isNarrow = false,
}: {
  readonly isNarrow?: boolean;
  readonly label: string;
  readonly line: Line;
  readonly value: string;
  readonly onChange: (amount: string) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? value;
  const amount = typedAmount(shown);
  const fault = (): string | undefined => {
    if (shown === '') return undefined;
    if (amount === undefined) return 'No amount';
    if ((micros(amount) ?? 0n) < (micros(minimum) ?? 0n)) return `At least ${moneyText(minimum, currency)}`;
    return undefined;
  };
  return (
    <TextInput
      aria-label={label}
      inputMode="decimal"
      w={isNarrow ? 78 : 112}
      classNames={{ input: 'amount-input' }}
      placeholder={minimum === '' ? '0' : `from ${moneyText(minimum)}`}
      value={typed ?? (typedAmount(value) === undefined ? value : moneyText(value))}
      error={fault()}
      onChange={({ currentTarget }) => {
        const text = currentTarget.value;
        setTyped(text);
        onChange(typedAmount(text) ?? text.trim());
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
