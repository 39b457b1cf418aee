import { Card, Progress, Stack, Text, Title } from '@mantine/core';
import type { Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { micros, moneyText, percentOf } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { isDomain, type Basket } from './plan/basket.js';
import { packagesOf } from './plan/plan-months.js';
import { totalsOf } from './plan/plan-request.js';

type Limit = Answer<'GET /v1/limits'>['limits'][number];
const most = { query: { limit: '100' } };

/** The total of the order, and what the limits that apply to it leave. The server decides; this is a preview. */
export function LimitsCard({ basket, today }: { readonly basket: Basket; readonly today: string }) {
  const may = useMay();
  const me = useMe().data;
  const limits = useAnswer('GET /v1/limits', most, may('ledger.read'));
  const domain = basket.brand.trim().toLowerCase();
  const brands = useAnswer('GET /v1/brands', { query: { domain } }, may('clients.read') && isDomain(domain));
  const client = brands.data?.brands[0]?.client_id;
  const totals = totalsOf(basket, today);
  const applied = new Set([
    'organization',
    'each-buy',
    `principal:${me?.principal_id ?? ''}`,
    `brand:${domain}`,
    `client:${client ?? ''}`,
    `campaign:${basket.campaignId}`,
    ...basket.lines.map(({ seller }) => `seller:${seller}`),
  ]);
  const shown = (limits.data?.limits ?? []).filter(
    ({ for: whose, currency }) => applied.has(whose) && totals.some((total) => total.currency === currency),
  );
  /** What the plan takes of a limit: a limit of a seller counts the packages at that seller. */
  const taken = ({ for: whose, currency }: Limit): bigint =>
    packagesOf(basket, today)
      .filter(({ line }) => line.currency === currency)
      .filter(({ line }) => !whose.startsWith('seller:') || whose === `seller:${line.seller}`)
      .reduce((sum, { budget }) => sum + (micros(budget) ?? 0n), 0n);
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2} size="h5">
          In all: {totals.map(({ text }) => text).join(', ')}
        </Title>
        {limits.isSuccess && shown.length === 0 && (
          <Text size="sm">No limit applies to the plan in this currency.</Text>
        )}
        {shown.map((limitRow) => {
          const { limit_id: id, for: whose, name, limit, currency, per, above, left } = limitRow;
          const room = whose === 'each-buy' ? limit : left;
          const isOver = room !== null && taken(limitRow) > (micros(room) ?? 0n);
          return (
            <div key={id}>
              <Text size="sm" {...(left?.startsWith('-') === true && { c: 'bad' })}>
                <Name of={name ?? whose.replace(':', ' ').replace('-', ' ')} />:{' '}
                {whose === 'each-buy' ? '' : leftText(limitRow)}
                {moneyText(limit, currency)}
                {per === null ? '' : ` a ${per}`}.{' '}
                {isOver &&
                  (above === 'ask'
                    ? 'This plan is over it: another person is asked.'
                    : 'This plan is over it, and is refused.')}
              </Text>
              {left !== null && (
                <Progress
                  value={Math.min(100, 100 - percentOf(left, limit))}
                  color={isOver ? 'bad' : 'ink'}
                  aria-label={`Used of the limit of ${name ?? whose}`}
                />
              )}
            </div>
          );
        })}
      </Stack>
    </Card>
  );
}

const leftText = ({ left, currency }: Limit): string =>
  left === null ? 'what is left is not known of ' : `${moneyText(left, currency)} left of `;
