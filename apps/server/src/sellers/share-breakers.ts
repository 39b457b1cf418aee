import { randomUUID } from 'node:crypto';
import type { BreakerBoard, BreakerKey } from '@switchyard/sellers';
import type { Clock } from '@switchyard/values';
import { z } from 'zod';
import { readMessage, type Exchange } from '../platform/exchange.js';

const topic = 'breakers';

const told = z.strictObject({
  from: z.string(),
  organization: z.string().max(100),
  connection: z.string().max(100),
  phase: z.enum(['open', 'closed']),
});

/**
 * Tells other processes when a breaker of this one opens or closes, and hears them: a seller that is down costs the first
 * failures once and not in each process. Probes stay with the process that makes them.
 */
export function shareBreakers(
  breakers: Pick<BreakerBoard, 'hear' | 'onPhase'>,
  clock: Clock,
  exchange: Exchange,
): void {
  const from = randomUUID();
  breakers.onPhase = ({ organizationId, connectionId }: BreakerKey, phase) => {
    if (phase === 'half_open') return;
    const message: z.output<typeof told> = {
      from,
      organization: organizationId,
      connection: connectionId,
      phase,
    };
    exchange.publish(topic, JSON.stringify(message));
  };
  exchange.subscribe(topic, (text) => {
    const message = readMessage(told, text);
    if (message === undefined || message.from === from) return;
    const { organization: organizationId, connection: connectionId, phase } = message;
    breakers.hear({ organizationId, connectionId }, phase, clock.now());
  });
}
