import { Button, Table } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { JsonObject } from '../../../api/client.js';
import { objectsIn, textAt } from '../../../api/task.js';
import { DataTable } from '../../../parts/data-table.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { Go } from '../../../parts/go.js';
import { Money } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { ObjectHead, useTab } from '../../../parts/object-head.js';
import { PageHead } from '../../../parts/page-head.js';
import { FactList, Panel } from '../../../parts/panel.js';
import { ScrollTable } from '../../../parts/scroll-table.js';
import { SellerName, useSellerNames } from '../../../parts/seller-name.js';
import { useKeptRun } from '../../../parts/use-kept.js';
import { usePages } from '../../../parts/use-pages.js';
import { useMay } from '../../../parts/use-rows.js';
import { buyColumns, buyPeek } from '../buys.js';
import { dropLine, isIn, putLine, useBasket } from './basket.js';
import { offersIn, sellerOf, type Offer } from './offers.js';

/** One product, as its seller offered it in the last answer. */
export function ProductPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const answer = useKeptRun('ask')?.answer;
  const product = objectsIn(answer?.['products']).find((one) => one['product_id'] === id);
  if (product === undefined)
    return (
      <>
        <PageHead title="Product" />
        <EmptyState title="This product is not in your last answer">
          Prices hold for a question. <Go to="/ask">Ask the market</Go>, and open the product from its offers.
        </EmptyState>
      </>
    );
  return <Shown product={product} offers={offersIn({ products: [product] })} id={id} />;
}

function Shown({
  product,
  offers,
  id,
}: {
  readonly product: JsonObject;
  readonly offers: readonly Offer[];
  readonly id: string;
}) {
  const tab = useTab();
  const nameOf = useSellerNames();
  const may = useMay();
  const seller = sellerOf(product);
  const [first] = offers;
  const formats = objectsIn(product['format_ids']);
  return (
    <>
      <ObjectHead
        name={textAt(product['name']) || id}
        avatar={nameOf(seller)}
        parents={[{ title: 'Ask the market', to: '/ask' }]}
        facts={[
          <SellerName key="seller" of={seller} size={16} />,
          first?.channels.join(', '),
          first?.delivery.replaceAll('_', '-'),
        ]}
        tabs={[
          { title: 'Overview' },
          { title: 'Formats', count: formats.length },
          { title: 'Prices', count: offers.length },
          ...(may('media_buys.read') ? [{ title: 'Bought before' }] : []),
        ]}
      />
      {tab === 'Bought before' ? (
        <BoughtBefore seller={seller} />
      ) : (
        <div className="columns" style={{ '--right': '320px' } as never}>
          <div className="column">
            {tab === 'Overview' && (
              <Panel title="What it is">
                <p className="panel-small">
                  <Name of={textAt(product['description'])} most={2_000} />
                </p>
                <FactList
                  of={{
                    Audience: first?.audience !== '' && <Name of={first?.audience} most={300} />,
                    Publishers: first?.publishers.join(', '),
                  }}
                />
              </Panel>
            )}
            {tab === 'Formats' && (
              <Panel title="Formats" about="what its creatives have to be">
                <ul className="plain-list">
                  {formats.map((format) => (
                    <li key={`${textAt(format['agent_url'])} ${textAt(format['id'])}`}>
                      <Name of={textAt(format['id'])} most={100} />
                      <small className="quiet" style={{ display: 'block' }}>
                        <Name of={textAt(format['agent_url'])} most={100} />
                      </small>
                    </li>
                  ))}
                </ul>
              </Panel>
            )}
            {tab === 'Prices' && <Prices offers={offers} />}
          </div>
          <div className="column">
            {first !== undefined && first.reason !== '' && (
              <Panel title="Fit with the brief" about="as the seller says">
                <p className="panel-small">
                  <Name of={first.reason} most={300} />
                </p>
              </Panel>
            )}
            {first !== undefined && <Add offer={first} />}
          </div>
        </div>
      )}
    </>
  );
}

function Prices({ offers }: { readonly offers: readonly Offer[] }) {
  return (
    <Panel title="Prices" isFlush>
      <ScrollTable label="Prices" className="stacks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Price</Table.Th>
            <Table.Th className="number">Amount</Table.Th>
            <Table.Th className="number">Least spend</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {offers.map((offer) => (
            <Table.Tr key={offer.pricingOptionId}>
              <Table.Td>
                {offer.model.toUpperCase()} {offer.isAuction ? 'from' : 'fixed'}
              </Table.Td>
              <Table.Td className="number" data-title="Amount">
                <Money amount={offer.price} currency={offer.currency} show="cents" />
              </Table.Td>
              <Table.Td className="number" data-title="Least spend">
                {offer.minimum === '' ? '–' : <Money amount={offer.minimum} currency={offer.currency} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}

function Add({ offer }: { readonly offer: Offer }) {
  const isTaken = isIn(useBasket(), offer);
  return (
    <Panel title="Plan">
      <Button
        variant={isTaken ? 'default' : 'filled'}
        onClick={() => (isTaken ? dropLine(offer) : putLine(offer))}
      >
        {isTaken ? 'Remove from the plan' : 'Add to the plan'}
      </Button>
      {isTaken && (
        <p className="panel-small">
          <Go to="/plans/new">Open the plan</Go>
        </p>
      )}
    </Panel>
  );
}

/** What was bought at its seller. */
function BoughtBefore({ seller }: { readonly seller: string }) {
  const pages = usePages('GET /v1/buys', 'media_buys', { seller });
  return (
    <DataTable
      label="Buys at this seller"
      pages={pages}
      columns={buyColumns}
      peek={buyPeek}
      empty={
        <EmptyState title="Nothing was bought at this seller yet">The first buy would stand here.</EmptyState>
      }
    />
  );
}
