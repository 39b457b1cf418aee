import { Table } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { PacingBar } from '../../parts/charts.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { decimal, micros, Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { NoneYet } from '../../parts/none-yet.js';
import { FactList, Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName } from '../../parts/seller-name.js';
import { Stats } from '../../parts/stats.js';
import { StatusBadge } from '../../parts/status.js';
import { rangeText } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { buyColumns } from './buys.js';

type Client = Answer<'GET /v1/clients/{id}'>;

/** One client: its campaigns against their budgets, its brands, its buys and what was done with it. */
export function ClientPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const query = useAnswer('GET /v1/clients/{id}', { params: { id } });
  return (
    <Loaded title="Client" query={query}>
      {(client) => <Shown client={client} />}
    </Loaded>
  );
}

function Shown({ client }: { readonly client: Client }) {
  const tab = useTab();
  const may = useMay();
  const id = client.client_id;
  const campaigns = usePages('GET /v1/campaigns', 'campaigns', { client_id: id });
  const buys = usePages('GET /v1/buys', 'media_buys', { client: id }, may('media_buys.read'));
  const isAll = !campaigns.hasNextPage && campaigns.isSuccess;
  return (
    <>
      <ObjectHead
        name={client.name}
        avatar={client.name}
        pill={
          <StatusBadge
            of={client.status === 'active' ? 'Active' : 'Archived'}
            tone={client.status === 'active' ? 'good' : 'gray'}
          />
        }
        facts={[
          client.brands.length > 0 &&
            client.brands.map(({ name, domain }) => clean(name || domain, 40)).join(', '),
          isAll && `${campaigns.rows.length} ${campaigns.rows.length === 1 ? 'campaign' : 'campaigns'}`,
        ]}
        acts={
          <Go to="/campaigns" search={{ client_id: id }}>
            New campaign
          </Go>
        }
        tabs={[
          { title: 'Overview' },
          ...(may('media_buys.read')
            ? [{ title: 'Buys', count: buys.hasNextPage || !buys.isSuccess ? undefined : buys.rows.length }]
            : []),
          ...(may('principals.read') ? [{ title: 'History' }] : []),
        ]}
      />
      {tab === 'Overview' && <Overview client={client} of={campaigns} />}
      {tab === 'Buys' && (
        <DataTable
          label="Buys of the client"
          pages={buys}
          columns={buyColumns}
          empty={
            <EmptyState title="Nothing was bought yet">
              <Go to="/ask">Ask the market</Go>, and put the buy under a campaign of this client.
            </EmptyState>
          }
        />
      )}
      {tab === 'History' && <ObjectHistory id={id} />}
    </>
  );
}

const sum = (amounts: readonly (string | null | undefined)[]): string =>
  decimal(amounts.reduce((all, amount) => all + (micros(amount ?? '0') ?? 0n), 0n));

function Overview({
  client,
  of,
}: {
  readonly client: Client;
  readonly of: ReturnType<typeof usePages<'GET /v1/campaigns', 'campaigns'>>;
}) {
  const campaigns = of.rows;
  const currency = useMe().data?.organization.reporting_currency ?? 'USD';
  const own = campaigns.filter((campaign) => campaign.currency === currency && campaign.status !== 'closed');
  const others = campaigns.filter((campaign) => campaign.currency !== currency).length;
  const figures = own.flatMap(({ figures: known }) => known ?? []);
  return (
    <>
      {own.length > 0 && (
        <Stats
          label="Figures of the client"
          of={[
            {
              label: 'Budgets, open campaigns',
              value: <Money amount={sum(own.map(({ budget }) => budget))} show="whole" />,
              unit: currency,
              note: others === 0 ? undefined : `${others} in other currencies`,
            },
            ...(figures.length === 0
              ? []
              : [
                  {
                    label: 'Booked',
                    value: <Money amount={sum(figures.map(({ committed }) => committed))} show="whole" />,
                    unit: currency,
                  },
                  {
                    label: 'Delivered',
                    value: <Money amount={sum(figures.map(({ delivered }) => delivered))} show="whole" />,
                    unit: currency,
                  },
                ]),
          ]}
        />
      )}
      <div className="columns">
        <div className="column">
          <Panel title="Campaigns" isFlush>
            {campaigns.length === 0 ? (
              <NoneYet query={of}>
                None yet. <Go to="/campaigns">Make a campaign</Go>
              </NoneYet>
            ) : (
              <ScrollTable label="Campaigns of the client" className="stacks">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Campaign</Table.Th>
                    <Table.Th className="number">Budget</Table.Th>
                    <Table.Th>Pacing</Table.Th>
                    <Table.Th>State</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {campaigns.map((campaign) => (
                    <Table.Tr key={campaign.campaign_id}>
                      <Table.Td>
                        <Go to={`/campaigns/${campaign.campaign_id}`}>
                          <Name of={campaign.name} most={80} />
                        </Go>
                        <div className="quiet">{rangeText(campaign.from, campaign.to)}</div>
                      </Table.Td>
                      <Table.Td className="number" data-title="Budget">
                        <Money amount={campaign.budget} currency={campaign.currency} show="whole" />
                      </Table.Td>
                      <Table.Td data-title="Pacing">
                        {campaign.figures && campaign.budget !== null ? (
                          <PacingBar
                            delivered={campaign.figures.delivered}
                            forecast={campaign.figures.forecast}
                            budget={campaign.budget}
                            currency={campaign.currency}
                          />
                        ) : (
                          '–'
                        )}
                      </Table.Td>
                      <Table.Td data-title="State">
                        <StatusBadge of={campaign.status} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </ScrollTable>
            )}
          </Panel>
        </div>
        <div className="column">
          <Panel title="Brands">
            <ul className="plain-list" aria-label="Brands">
              {client.brands.map(({ brand_id: id, name, domain }) => (
                <li key={id}>
                  <Name of={name || domain} most={60} />{' '}
                  <span className="quiet">{name && clean(domain, 60)}</span>
                </li>
              ))}
              {client.brands.length === 0 && <li>None yet.</li>}
            </ul>
          </Panel>
          <Panel title="The client">
            <FactList
              of={{
                'May buy at':
                  client.sellers === null
                    ? 'every seller'
                    : client.sellers.map((seller) => <SellerName key={seller} of={seller} size={16} />),
                ...Object.fromEntries(
                  Object.entries(client.codes).map(([system, code]) => [clean(system, 40), clean(code, 60)]),
                ),
              }}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}
