import { Progress, Table, Text } from '@mantine/core';
import type { SellerRow } from '../api/task.js';
import { Name } from './name.js';
import { SellerName } from './seller-name.js';
import { Status, StatusBadge } from './status.js';
import { ScrollTable } from './scroll-table.js';

const tones: Readonly<Record<string, string>> = { answered: 'good', slow: 'warn', skipped: 'gray' };

const nextSteps: Readonly<Record<string, string>> = {
  answered: 'Nothing: its answer is in.',
  slow: 'Ask again, or give the question more time. If it stays slow, look at the page of the seller.',
  skipped: 'The reason says what it lacks: a credential, a live state, or this task.',
  refused: 'Read its reason. A change of the request may be taken.',
  failed: 'An administrator can test the connection on the page of the seller.',
};

/** One row for every queried seller, with any result, as they settle. */
export function SellerRows({
  rows,
  total,
  isBusy,
  waiting = [],
}: {
  readonly rows: readonly SellerRow[];
  readonly total: number | undefined;
  readonly isBusy: boolean;
  /** Those that have not answered yet, by slug. */
  readonly waiting?: readonly string[];
}) {
  if (rows.length === 0 && !isBusy) return undefined;
  return (
    <section aria-label="Answers of the sellers">
      <Text size="sm" role="status" mb={4}>
        {isBusy
          ? `${rows.length} of ${total ?? '…'} sellers have answered`
          : rows.length === 1
            ? '1 seller was asked'
            : `${rows.length} sellers were asked`}
      </Text>
      {isBusy && (
        <Progress
          value={total === undefined ? 5 : (100 * rows.length) / total}
          aria-label="Sellers that have answered"
          mb="xs"
        />
      )}
      <ScrollTable label="Sellers that were asked">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Seller</Table.Th>
            <Table.Th>Outcome</Table.Th>
            <Table.Th>Reason</Table.Th>
            <Table.Th className="number">Time</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ seller, status, reason, code, elapsed_ms: elapsed }) => (
            <Table.Tr key={seller}>
              <Table.Td>
                <SellerName of={seller} />
              </Table.Td>
              <Table.Td>
                <Status
                  of={status}
                  tone={tones[status] ?? 'bad'}
                  explain={{
                    why: <Name of={reason} most={1_000} />,
                    ...(code !== undefined && { evidence: `Code ${code}` }),
                    next: nextSteps[status] ?? 'Look at the page of the seller.',
                    cli: `npx switchyard sellers show ${seller}`,
                  }}
                />
              </Table.Td>
              <Table.Td>
                <Name of={reason} most={300} />
              </Table.Td>
              <Table.Td className="number">{elapsed === undefined ? '–' : `${elapsed} ms`}</Table.Td>
            </Table.Tr>
          ))}
          {waiting.map((seller) => (
            <Table.Tr key={seller}>
              <Table.Td>
                <SellerName of={seller} />
              </Table.Td>
              <Table.Td>
                <StatusBadge of="waits for its answer" tone="warn" />
              </Table.Td>
              <Table.Td />
              <Table.Td className="number">–</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </section>
  );
}
