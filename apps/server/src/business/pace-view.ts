import { paceOf, usualSilentDays, type Pace } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { PacingFigures } from '@switchyard/store';
import { isoOf, type Clock } from '@switchyard/values';
import { z } from 'zod';

/** What a campaign or a buy has planned, committed and delivered: the same figures wherever they are shown. */
export const paceMembers = {
  planned: z.string().exactOptional().describe('Over the whole flight.'),
  committed: z.string().describe('Accepted by sellers, as its limits count it.'),
  pending: z.string().describe('Waits at sellers.'),
  ordered: z
    .string()
    .exactOptional()
    .describe(
      'Of a campaign: what stands at its sellers now. A lowered budget stays committed until a report tells what was spent of it.',
    ),
  delivered: z.string(),
  forecast: z
    .string()
    .describe(
      'At the end of the flight, at the mean of the last seven days; delivered alone where no figures come.',
    ),
  not_converted: z
    .array(
      z.strictObject({
        currency: z.string(),
        committed: z.string(),
        pending: z.string(),
        delivered: z.string(),
      }),
    )
    .exactOptional()
    .describe('The same in other currencies; it counts nowhere here.'),
  alerts: z.array(z.strictObject({ code: z.string(), message: z.string() })).describe('The worst first.'),
};

/** The current UTC day. */
export const utcDay = (clock: Clock): string => isoOf(clock.now()).slice(0, 10);

export function paceFor(figures: PacingFigures, today: string, silentDays = usualSilentDays): Pace {
  const committedMicros = figures.pendingMicros + figures.acceptedMicros;
  return paceOf({ ...figures, committedMicros, today, silentDays });
}

export function paceView(
  { pendingMicros, acceptedMicros, orderedMicros, elsewhere }: PacingFigures,
  pace: Pace,
) {
  return {
    ...(pace.plannedMicros !== undefined && { planned: microsToDecimal(pace.plannedMicros) }),
    committed: microsToDecimal(acceptedMicros),
    pending: microsToDecimal(pendingMicros),
    ...(orderedMicros !== undefined && { ordered: microsToDecimal(orderedMicros) }),
    delivered: microsToDecimal(pace.deliveredMicros),
    forecast: microsToDecimal(pace.forecastMicros),
    ...(elsewhere.size > 0 && {
      not_converted: [...elsewhere].map(([currency, figures]) => ({
        currency,
        committed: microsToDecimal(figures.acceptedMicros),
        pending: microsToDecimal(figures.pendingMicros),
        delivered: microsToDecimal(figures.deliveredMicros),
      })),
    }),
    alerts: pace.alerts.map(({ code, message }) => ({ code, message })),
  };
}
