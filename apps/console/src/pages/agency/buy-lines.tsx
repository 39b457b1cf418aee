import { Table } from '@mantine/core';
import { Explained } from '../../parts/explained.js';
import { Id } from '../../parts/id.js';
import { Count, Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName } from '../../parts/seller-name.js';
import type { Buy } from './buy-actions.js';
import { ownDaysOf } from './buy-status.js';

/** The lines: one product each, with its days and figures. */
export function BuyLines({ buy }: { readonly buy: Buy }) {
  return (
    <Panel title="Lines" about={`one product each, ${buy.currency}`} isFlush>
      <ScrollTable label="Lines, a table" className="stacks">
        <Table.Thead>
          <Table.Tr>
            {['Line', 'Seller', 'Budget', 'Spent', 'Impressions'].map((title) => (
              <Table.Th
                key={title}
                className={['Budget', 'Spent', 'Impressions'].includes(title) ? 'number' : ''}
              >
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buy.packages.map((part) => (
            <Table.Tr key={part.package_id}>
              <Table.Td>
                <Name of={part.buyer_ref ?? part.product_id} />
                <Quiet>
                  {ownDaysOf(part, buy) !== '' && (
                    <div>
                      <Name of={ownDaysOf(part, buy)} />
                    </div>
                  )}
                  <Id of={part.package_id} short />
                  {part.canceled === true && (
                    <Explained
                      kind="package"
                      of="canceled"
                      cli={`npx switchyard buys show ${buy.media_buy_id}`}
                    />
                  )}
                </Quiet>
              </Table.Td>
              <Table.Td data-title="Seller">
                <SellerName of={part.seller} />
              </Table.Td>
              <Table.Td className="number" data-title="Budget">
                <Money amount={part.current_budget} />
              </Table.Td>
              <Table.Td className="number" data-title="Spent">
                <Money amount={part.spend} />
              </Table.Td>
              <Table.Td className="number" data-title="Impressions">
                {part.impressions === undefined ? '–' : <Count of={part.impressions} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}
