import {
  Alert,
  Card,
  Group,
  Loader,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
  NativeSelect,
} from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode, useState } from 'react';
import { Explained } from '../../parts/explained.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { Money } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { PrintButton } from '../../parts/print.js';
import { Time } from '../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import { AssignCreative } from './assign-creative.js';
import { BuyActions, type Buy } from './buy-actions.js';
import { BuyLegs } from './buy-legs.js';
import { BuyStatus, buyText, lastDayOf, ownDaysOf } from './buy-status.js';
import { BuyTimeline } from './buy-timeline.js';
import { api } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { useCampaignsOf } from './use-campaigns-of.js';
import { ScrollTable } from '../../parts/scroll-table.js';

const Pacing = lazy(async () => ({ default: (await import('./pacing.js')).Pacing }));

/** One media buy: its terms, what it waits for, pacing, packages, and its history. */
export function BuyPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const query = useAnswer('GET /v1/buys/{id}', { params: { id } });
  return (
    <Loaded title="Buy" query={query}>
      {(buy) => <Shown buy={buy} />}
    </Loaded>
  );
}

function Shown({ buy }: { readonly buy: Buy }) {
  const may = useMay();
  return (
    <Stack>
      <PageHead
        title={<Name of={buyText(buy)} most={80} />}
        name={buyText(buy)}
        actions={
          <>
            <BuyActions buy={buy} />
            <PrintButton />
          </>
        }
      >
        <Id of={buy.media_buy_id} />
      </PageHead>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3, xl: 6 }} spacing="xs">
        <Fact name="Status">
          <BuyStatus buy={buy} />
        </Fact>
        <Fact name="Budget">
          <Money amount={buy.current_total_budget} currency={buy.currency} />
        </Fact>
        <Fact name="Client and brand">
          <Name of={buy.client} /> / <Name of={buy.brand_name ?? buy.brand} />
        </Fact>
        <Fact name="Campaign">
          <Group gap="xs">
            {buy.campaign_id === null ? 'Not assigned' : <Name of={buy.campaign} />}
            <MoveButton key={buy.campaign_id} buy={buy} />
          </Group>
        </Fact>
        <Fact name="Flight">
          <Time at={buy.start_time} dateOnly /> – <Time at={lastDayOf(buy)} dateOnly />
        </Fact>
        <Fact name="Bought by">
          <Name of={buy.created_by} /> <Time at={buy.created_at} />
        </Fact>
      </SimpleGrid>
      {buy.impairments.map((impairment) => (
        <Alert
          key={`${impairment.reason} ${impairment.observed_at ?? ''}`}
          color="warn"
          variant="outline"
          title={<Name of={impairment.reason} most={300} />}
        >
          {impairment.remediation !== undefined && (
            <Text size="sm">
              What next: <Name of={impairment.remediation} most={600} />
            </Text>
          )}
          <Text size="sm">
            {impairment.package_ids.length === 0 ? (
              'It affects the whole buy'
            ) : (
              <>
                Affected packages: <Name of={impairment.package_ids.join(', ')} most={300} />
              </>
            )}
            , since <Time at={impairment.observed_at} />.{' '}
            <Go to="/creatives" search={{ media_buy_id: buy.media_buy_id }}>
              Creatives of this buy
            </Go>
          </Text>
        </Alert>
      ))}
      <BuyLegs buy={buy} />
      {may('reports.read') && buy.current_total_budget !== '0' && (
        <Section title="Pacing">
          <Suspense fallback={<Loader role="status" aria-label="Loading the chart" />}>
            <Pacing buy={buy} />
          </Suspense>
        </Section>
      )}
      <Section title="Packages">
        <ScrollTable label="Packages, a table">
          <Table.Thead>
            <Table.Tr>
              {['Package', 'Seller', 'Product', 'Budget', 'Spent', 'Impressions'].map((title) => (
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
                  <Group gap={4} wrap="nowrap">
                    <Id of={part.package_id} short />
                    {part.canceled === true && (
                      <Explained
                        kind="package"
                        of="canceled"
                        cli={`npx switchyard buys show ${buy.media_buy_id}`}
                      />
                    )}
                  </Group>
                </Table.Td>
                <Table.Td>
                  <Name of={part.seller} />
                </Table.Td>
                <Table.Td>
                  <Name of={part.product_id} />
                  {ownDaysOf(part, buy) !== '' && (
                    <Quiet>
                      <Name of={ownDaysOf(part, buy)} />
                    </Quiet>
                  )}
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={part.current_budget} currency={buy.currency} />
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={part.spend} currency={buy.currency} />
                </Table.Td>
                <Table.Td className="number">
                  <Money amount={part.impressions} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
        <Text size="sm" my={4}>
          <Go to="/creatives" search={{ media_buy_id: buy.media_buy_id }}>
            Creatives of this buy, seller by seller
          </Go>
        </Text>
        <AssignCreative buy={buy} />
      </Section>
      <BuyTimeline buy={buy} />
    </Stack>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Card withBorder p="xs">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="div" size="sm">
        {children}
      </Text>
    </Card>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** Moves a buy to a campaign of its brand, or to none. */
function MoveButton({ buy }: { readonly buy: Buy }) {
  const [to, setTo] = useState(buy.campaign_id ?? '');
  const refresh = useRefresh();
  const mayMove = useMay()('clients.write');
  const campaigns = useCampaignsOf(buy.brand, mayMove) ?? [];
  if (!mayMove) return undefined;
  const move = async (reason: string): Promise<void> => {
    const from = buy.campaign_id;
    const body = { media_buy_id: buy.media_buy_id, ...(reason !== '' && { reason }) };
    if (to !== '') await api('POST /v1/campaigns/{id}/assign', { params: { id: to }, body });
    else if (from !== null) await api('POST /v1/campaigns/{id}/unassign', { params: { id: from }, body });
    await refresh();
  };
  return (
    <ConfirmButton
      label={buy.campaign_id === null ? 'Assign' : 'Move'}
      size="compact-xs"
      variant="default"
      reason="optional"
      blocked={to === (buy.campaign_id ?? '') ? 'It stands there already.' : undefined}
      act={move}
      done="The buy is moved; the ledger has the move."
    >
      <NativeSelect
        label="Campaign"
        description="Of the brand of the buy. Its spend goes with it."
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
        data={[
          { value: '', label: 'None' },
          ...campaigns
            .filter(({ status, campaign_id: id }) => id === buy.campaign_id || status !== 'closed')
            .map(({ campaign_id: value, name }) => ({ value, label: clean(name, 60) })),
        ]}
      />
    </ConfirmButton>
  );
}
