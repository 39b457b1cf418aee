import { Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { Go } from '../../parts/go.js';
import { Name } from '../../parts/name.js';
import { Status } from '../../parts/status.js';
import type { Buy } from './buy-actions.js';

type Leg = Buy['legs'][number];

export const isRefused = ({ task_status: status }: Leg): boolean =>
  status === 'failed' || status === 'rejected';
const settled = new Set(['completed', 'failed', 'rejected', 'canceled']);

/** The state of the latest request at each seller, and who must act. */
export function BuyLegs({ buy }: { readonly buy: Buy }) {
  const latest = [...new Map(buy.legs.map((leg) => [leg.seller, leg])).values()];
  return (
    <section aria-label="Sellers">
      <Title order={2} size="h4" mb="xs">
        Sellers
      </Title>
      {latest.length === 0 && (
        <Text size="sm">
          No seller was called yet: a person has to say yes first.{' '}
          <Go to="/inbox/approvals" search={{ operation_id: buy.operation_id }}>
            See who is asked
          </Go>
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="xs">
        {latest.map((leg) => (
          <Card withBorder p="sm" key={leg.leg_id}>
            <Group justify="space-between" wrap="nowrap">
              <Text fw={600}>
                <Name of={leg.seller} />
              </Text>
              <Status of={leg.status ?? leg.task_status} explain={explain(leg, buy.media_buy_id)} />
            </Group>
            <Text size="sm">
              {leg.task.replaceAll('_', ' ')}
              {isRefused(leg) && ' failed'}
              {leg.seller_media_buy_id !== undefined && (
                <>
                  {' · '}
                  <Name of={leg.seller_media_buy_id} />
                </>
              )}
            </Text>
            <Text size="sm">
              <Name of={leg.reason ?? waitsFor(leg)} most={300} />
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </section>
  );
}

function waitsFor(leg: Leg): string {
  if (leg.waits_for_person === true) return 'It waits for a person.';
  if (!settled.has(leg.task_status)) return 'It waits for the answer of the seller.';
  return leg.status === 'pending_creatives' ? 'It waits for creatives.' : 'The seller has answered.';
}

function explain(leg: Leg, buyId: string) {
  return {
    why: <Name of={leg.reason ?? waitsFor(leg)} most={1_000} />,
    evidence: (
      <>
        Task {leg.task} is {leg.task_status}
        {leg.observed_by === undefined ? '' : `, known by ${leg.observed_by}`}
        {leg.code === undefined ? '' : `, code ${leg.code}`}
        {leg.signed === true ? ', by a signed message' : ''}.
      </>
    ),
    next: nextOf(leg),
    cli: `npx switchyard buys show ${buyId}`,
  };
}

function nextOf(leg: Leg) {
  if (leg.waits_for_person === true) {
    return (
      <Go to="/inbox/approvals" search={{ operation_id: leg.operation_id }}>
        Answer it under Approvals
      </Go>
    );
  }
  if (isRefused(leg)) {
    return leg.task === 'create_media_buy'
      ? 'Read the reason, change the plan and buy again.'
      : 'Read the reason, and try again. An administrator can test the connection on the page of the seller.';
  }
  if (leg.status === 'pending_creatives') return 'Assign creatives to its packages.';
  return settled.has(leg.task_status)
    ? 'Nothing.'
    : 'The seller is asked again by itself until it has answered.';
}
