import { Button, Card, Group, SimpleGrid, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import type { SubmitEvent } from 'react';
import type { JsonObject } from '../../../api/client.js';
import { newId } from '../../../api/new-id.js';
import { may, useMe } from '../../../api/session.js';
import { isObject, objectsIn, task, textAt } from '../../../api/task.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { Explained } from '../../../parts/explained.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { Id } from '../../../parts/id.js';
import { Money } from '../../../parts/money.js';
import { Name, clean } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { Quiet } from '../../../parts/quiet.js';
import { startRun } from '../../../parts/run.js';
import { SellerRows } from '../../../parts/seller-rows.js';
import { useKept, useKeptRun } from '../../../parts/use-kept.js';
import { useBasket } from './basket.js';
import { NoSeller } from './no-seller.js';
import { ScrollTable } from '../../../parts/scroll-table.js';

interface Typed {
  readonly spec: string;
  readonly platform: string;
  readonly country: string;
  /** Absent until another one than the basket's is typed. */
  readonly brand?: string;
}

/** Finds audiences at all signals agents, and activates one for a platform. */
export function SignalsPage() {
  const run = useKeptRun('signals');
  const basket = useBasket();
  const [typed, keep] = useKept<Typed>('audience', { spec: '', platform: '', country: 'US' });
  const { spec, platform, country, brand = basket.brand } = typed;
  const ask = (event: SubmitEvent): void => {
    event.preventDefault();
    void startRun('signals', 'get_signals', {
      signal_spec: spec.trim(),
      deliver_to: {
        deployments: [{ type: 'platform', platform: platform.trim() }],
        countries: [country.trim().toUpperCase()],
      },
    });
  };
  const askAgain = (): void => {
    if (run !== undefined) void startRun('signals', 'get_signals', run.request);
  };
  const found = objectsIn(run?.answer?.['signals']);
  return (
    <Stack>
      <PageHead title="Audiences">Audiences of the signals agents that you are connected with.</PageHead>
      <Card withBorder>
        <form onSubmit={ask}>
          <Stack gap="sm">
            <Textarea
              label="Audience"
              description="Whom you want to reach, in plain words."
              required
              autosize
              minRows={2}
              maxLength={4_000}
              value={spec}
              onChange={({ currentTarget }) => keep({ ...typed, spec: currentTarget.value })}
            />
            <SimpleGrid cols={{ base: 1, sm: 3 }}>
              <TextInput
                label="Platform"
                description="Where the audience is to be used, as the agents name it, for example the-trade-desk."
                required
                value={platform}
                onChange={({ currentTarget }) => keep({ ...typed, platform: currentTarget.value })}
              />
              <TextInput
                label="Country"
                description="Two letters (ISO 3166-1)."
                required
                maxLength={2}
                value={country}
                onChange={({ currentTarget }) => keep({ ...typed, country: currentTarget.value })}
              />
              <TextInput
                label="Brand"
                description="Its domain: an activation is charged to its account."
                required
                value={brand}
                onChange={({ currentTarget }) => keep({ ...typed, brand: currentTarget.value })}
              />
            </SimpleGrid>
            <Group>
              <Button type="submit" loading={run?.isBusy === true}>
                Find signals
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      {run === undefined && (
        <EmptyState title="Nothing was looked for yet">
          Describe an audience and name the platform, then choose Find signals.
        </EmptyState>
      )}
      {run?.error !== undefined && <ErrorPanel error={run.error} />}
      {run !== undefined && run.error === undefined && (
        <SellerRows rows={run.rows} total={run.total} isBusy={run.isBusy} />
      )}
      {run?.answer !== undefined && run.rows.length === 0 && <NoSeller />}
      {run?.answer !== undefined && run.rows.length > 0 && found.length === 0 && (
        <EmptyState title="No agent has such an audience">
          Describe it in other words, or name another platform.
        </EmptyState>
      )}
      {found.length > 0 && <Found found={found} brand={brand.trim().toLowerCase()} onActivated={askAgain} />}
    </Stack>
  );
}

function Found({
  found,
  brand,
  onActivated,
}: {
  readonly found: readonly JsonObject[];
  readonly brand: string;
  readonly onActivated: () => void;
}) {
  const me = useMe().data;
  const mayActivate = me !== null && me !== undefined && may(me, 'signals.write');
  const activate = async (signal: JsonObject): Promise<void> => {
    await task('activate_signal', {
      account: { brand: { domain: brand }, operator: me?.organization.domain ?? '' },
      signal_agent_segment_id: textAt(signal['signal_agent_segment_id']),
      deployments: objectsIn(signal['deployments']).map(({ type, platform, agent_url, account }) => ({
        type: type ?? 'platform',
        ...(platform !== undefined && { platform }),
        ...(agent_url !== undefined && { agent_url }),
        ...(account !== undefined && { account }),
      })),
      idempotency_key: newId(),
    });
    onActivated();
  };
  return (
    <ScrollTable label="Signals">
      <Table.Thead>
        <Table.Tr>
          {['Signal', 'Agent', 'Provider', 'Reach', 'Price', 'State', 'Use'].map((title) => (
            <Table.Th key={title}>{title}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {found.map((row) => {
          const pricing = isObject(row['pricing']) ? row['pricing'] : {};
          const places = objectsIn(row['deployments']);
          const isLive = places.some((at) => at['is_live'] === true);
          return (
            <Table.Tr key={textAt(row['signal_agent_segment_id'])}>
              <Table.Td maw={320}>
                <Name of={textAt(row['name'])} />
                <Text size="xs" c="dimmed">
                  <Name of={textAt(row['description'])} />
                </Text>
              </Table.Td>
              <Table.Td>
                <Name of={textAt(row['seller'])} />
              </Table.Td>
              <Table.Td>
                <Name of={textAt(row['data_provider'])} />
              </Table.Td>
              <Table.Td className="number">{textAt(row['coverage_percentage'])}%</Table.Td>
              <Table.Td className="number">
                <Money amount={textAt(pricing['cpm'])} currency={textAt(pricing['currency'])} /> CPM
              </Table.Td>
              <Table.Td>
                <Explained
                  kind="signal"
                  of={isLive ? 'live' : 'not live'}
                  evidence={isLive && places.map((at, index) => <Deployment key={index} at={at} />)}
                />
                {places.map((at, index) => (
                  <Deployment key={index} at={at} />
                ))}
              </Table.Td>
              <Table.Td>
                {mayActivate && !isLive && (
                  <ConfirmButton
                    label="Activate"
                    aria-label={`Activate ${clean(textAt(row['name']))}`}
                    act={() => activate(row)}
                    done="The agent was asked to activate it. Its state and key are read again."
                  >
                    <Text>
                      The agent makes <Name of={textAt(row['name'])} /> usable on the platform. It charges its
                      price for each use.
                    </Text>
                  </ConfirmButton>
                )}
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </ScrollTable>
  );
}

/** What is known of a signal at one place: its key, by which it is used there, or how long it still takes. */
function Deployment({ at }: { readonly at: JsonObject }) {
  const key = isObject(at['activation_key']) ? at['activation_key'] : {};
  const text = textAt(key['segment_id']) || [key['key'], key['value']].map(textAt).filter(Boolean).join('=');
  const minutes = textAt(at['estimated_activation_duration_minutes']);
  if (text !== '') return <Id of={text} />;
  return minutes === '' ? undefined : <Quiet>about {minutes} minutes more</Quiet>;
}
