import { Table, Text } from '@mantine/core';
import type { Answer } from '../../api/client.js';
import { objectsIn, textAt } from '../../api/task.js';
import { Facts } from '../../parts/facts.js';
import { Id } from '../../parts/id.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import { BuyLink } from '../agency/buy-link.js';
import { ScrollTable } from '../../parts/scroll-table.js';

/** The facts, lines and totals of a statement's document, for the screen and for paper. */
export function StatementView({ made }: { readonly made: Answer<'POST /v1/statements'> }) {
  const { statement, digest, key } = made;
  const lines = objectsIn(statement['lines']);
  const totals = objectsIn(statement['totals']);
  return (
    <section aria-label="The statement">
      <Facts
        label="The statement"
        of={{
          Organization: <Name of={textAt(statement['organization'])} />,
          Month: `${textAt(statement['period'])}, ${textAt(statement['period_state']).replaceAll('_', ' ')}`,
          Made: <Time at={textAt(statement['made_at'])} />,
          'Digest (SHA-256)': <Id of={digest} />,
          'Signed with': <Id of={textAt(key['kid'])} />,
        }}
      />
      <ScrollTable label="Lines of the statement">
        <Table.Thead>
          <Table.Tr>
            {['Seller', 'Client', 'Brand', 'Campaign', 'Buy', 'Spend'].map((title) => (
              <Table.Th key={title} className={title === 'Spend' ? 'number' : ''}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.slice(0, mostShown).map((line, at) => (
            <Table.Tr key={at}>
              {['seller', 'client', 'brand', 'campaign'].map((member) => (
                <Table.Td key={member}>
                  <Name of={textAt(line[member])} most={60} />
                </Table.Td>
              ))}
              <Table.Td>
                {textAt(line['media_buy_id']) === '' ? '–' : <BuyLink id={textAt(line['media_buy_id'])} />}
              </Table.Td>
              <Table.Td className="number">
                <Money amount={textAt(line['spend'])} currency={textAt(line['currency'])} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          {totals.map((total) => (
            <Table.Tr key={textAt(total['currency'])}>
              <Table.Th scope="row" colSpan={5}>
                All in {textAt(total['currency'])}
              </Table.Th>
              <Table.Th className="number">
                <Money amount={textAt(total['spend'])} currency={textAt(total['currency'])} />
              </Table.Th>
            </Table.Tr>
          ))}
        </Table.Tfoot>
      </ScrollTable>
      {lines.length > mostShown && (
        <Text size="sm">
          The first {mostShown} of {lines.length} lines; the file has all of them.
        </Text>
      )}
    </section>
  );
}

const mostShown = 1_000;
