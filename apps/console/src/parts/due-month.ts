import { monthOf } from './month.js';
import { useAnswer } from './use-rows.js';

/** The oldest month that is over and not closed. */
export function useDueMonth(isEnabled = true): {
  readonly month: string | undefined;
  readonly isPending: boolean;
} {
  const { data, isPending } = useAnswer('GET /v1/periods', {}, isEnabled);
  const closed = data?.periods.find(({ state }) => state === 'closed')?.period ?? '';
  const month = data?.periods
    .map(({ period }) => period)
    .filter((period) => period > closed && period < monthOf())
    .at(-1);
  return { month, isPending: isEnabled && isPending };
}
