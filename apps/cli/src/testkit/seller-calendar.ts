import { err, ok } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** One seller whose months move once its time zone is set. */
export function specSellerCalendar(): SpecAnswers {
  let set: { readonly time_zone?: string; readonly overrides?: boolean } | undefined;
  const months = [
    { month: '2026-09', currency: 'EUR', amount: '-40' },
    { month: '2026-10', currency: 'EUR', amount: '40' },
  ];
  const shown = (seller: string) => ({
    seller,
    overrides: set?.overrides === true,
    zones: set === undefined ? [] : [{ time_zone: set.time_zone ?? '', by: 'person' as const }],
    ...(set === undefined
      ? { proposal: { time_zone: 'Europe/Madrid', bounds: 61, others: [] } }
      : { moves: { buys: 1, figures: 2, months } }),
  });
  return {
    show_seller_calendar: ({ params }) => ok(shown(params['slug'] ?? '')),
    set_seller_calendar: ({ params, body }) => {
      set = body as { readonly time_zone?: string };
      return ok(shown(params['slug'] ?? ''));
    },
    remove_seller_calendar: ({ params }) => {
      if (set === undefined) return err({ code: 'NOT_FOUND', message: 'Nothing is set for this seller.' });
      set = undefined;
      return ok(shown(params['slug'] ?? ''));
    },
    restate_seller_days: () => ok({ buys: 1, figures: 2, months, entry_ids: ['e1'] }),
  };
}
