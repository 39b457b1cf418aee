import { Card, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { micros, moneyText, percentOf } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { useMay } from '../../parts/use-rows.js';

interface Total {
  readonly currency: string;
  readonly sum: bigint;
  readonly text: string;
}

/** The total of the order, and what the limits leave. The server decides; this is a preview. */
export function LimitsCard({ totals }: { readonly totals: readonly Total[] }) {
  const limits = useQuery({
    queryKey: ['limits', 'all'],
    queryFn: ({ signal }) => api('GET /v1/limits', { query: { limit: '100' }, signal }),
    enabled: useMay()('ledger.read'),
  });
  const shown = (limits.data?.limits ?? []).filter(({ currency }) =>
    totals.some((total) => total.currency === currency),
  );
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2} size="h5">
          In all: {totals.map(({ text }) => text).join(', ')}
        </Title>
        {limits.isSuccess && shown.length === 0 && (
          <Text size="sm">No limit is set in this currency. An administrator sets them.</Text>
        )}
        {shown.map(({ limit_id: id, for: whose, limit, currency, per, above, left }) => {
          const total = totals.find((one) => one.currency === currency);
          const isOver = left !== null && total !== undefined && total.sum > (micros(left) ?? 0n);
          return (
            <div key={id}>
              <Text size="sm">
                <Name of={whose} />:{' '}
                {left === null ? 'what is left is not known' : `${moneyText(left, currency)} left`} of{' '}
                {moneyText(limit, currency)}
                {per === null ? '' : ` a ${per}`}.{' '}
                {isOver &&
                  (above === 'ask'
                    ? 'This plan is over it: another person is asked.'
                    : 'This plan is over it, and is refused if it falls under this limit.')}
              </Text>
              {left !== null && (
                <Progress
                  value={100 - percentOf(left, limit)}
                  color={isOver ? 'bad' : 'ink'}
                  aria-label={`Used of the limit of ${whose}`}
                />
              )}
            </div>
          );
        })}
      </Stack>
    </Card>
  );
}
