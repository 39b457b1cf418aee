import { Button, Table, TextInput } from '@mantine/core';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { dropLine, putLine, type Line } from './basket.js';

/** The packages of the plan, each with its budget. */
export function PlanLines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Packages">
      <Table>
        <Table.Thead>
          <Table.Tr>
            {['Product', 'Seller', 'Price', 'Budget', 'Bid', ''].map((title) => (
              <Table.Th key={title} className={title === 'Price' ? 'number' : ''}>
                {title || <span aria-hidden="true" />}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line) => (
            <Table.Tr key={`${line.productId} ${line.pricingOptionId}`}>
              <Table.Td>
                <Name of={line.name} />
              </Table.Td>
              <Table.Td>
                <Name of={line.seller} />
              </Table.Td>
              <Table.Td className="number">
                {line.isAuction && 'from '}
                <Money amount={line.price} currency={line.currency} /> {line.model?.toUpperCase()}
              </Table.Td>
              <Table.Td>
                <TextInput
                  aria-label={`Budget of ${line.name}`}
                  inputMode="decimal"
                  w={120}
                  placeholder={line.minimum === '' ? '0.00' : `from ${line.minimum}`}
                  value={line.budget}
                  onChange={({ currentTarget }) => putLine({ ...line, budget: currentTarget.value.trim() })}
                />
              </Table.Td>
              <Table.Td>
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
      </Table>
    </div>
  );
}
