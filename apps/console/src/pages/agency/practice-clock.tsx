import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { api, type Sent } from '../../api/client.js';
import { Panel } from '../../parts/panel.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { FirstSteps, useHiddenSteps } from './first-steps.js';

type Move = NonNullable<Sent<'POST /v1/practice/clock'>['body']>['move'];

const moves: readonly (readonly [move: Move, words: string])[] = [
  ['paused', 'Pause'],
  ['second', 'A day a second'],
  ['minute', 'A day a minute'],
];

/** The practice market: how fast the days of its campaigns pass, and what to try in it. Nothing where there is none. */
export function PracticeMarket() {
  const [isHidden, hide] = useHiddenSteps();
  const may = useMay();
  const query = useAnswer('GET /v1/practice/clock', {}, may('media_buys.read'));
  const [isBusy, setBusy] = useState(false);
  const clock = query.data?.clock;
  if (!clock) return undefined;
  const move = async (to: Move): Promise<void> => {
    setBusy(true);
    try {
      await api('POST /v1/practice/clock', { body: { move: to } });
      if (to === 'next-day')
        notifications.show({ message: 'The next campaign day has come.', color: 'good' });
    } catch (failure) {
      notifications.show({
        message: failure instanceof Error ? failure.message : String(failure),
        color: 'bad',
      });
    } finally {
      setBusy(false);
      await query.refetch();
    }
  };
  return (
    <>
      <Panel title="Practice market" about="how fast its campaign days pass">
        <Group gap={6} role="group" aria-label="Clock of the market">
          {moves.map(([to, words]) => (
            <Button
              key={to}
              size="compact-sm"
              variant={clock.speed === to ? 'filled' : 'default'}
              aria-pressed={clock.speed === to}
              disabled={isBusy || !may('media_buys.write')}
              onClick={() => void move(to)}
            >
              {words}
            </Button>
          ))}
          <Button
            size="compact-sm"
            variant="default"
            disabled={isBusy || !may('media_buys.write')}
            onClick={() => void move('next-day')}
          >
            Next day
          </Button>
        </Group>
        <p className="panel-small">
          Sign-ins, tokens and approvals follow the real time.{' '}
          {isHidden && (
            <button type="button" className="text-button" onClick={() => hide(false)}>
              Show the first steps
            </button>
          )}
        </p>
      </Panel>
      {!isHidden && <FirstSteps hide={() => hide(true)} />}
    </>
  );
}
