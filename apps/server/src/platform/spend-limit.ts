import { usualSpendLimit, type SpendLimit } from '@switchyard/ledger';
import { err, ok, type Result } from '@switchyard/values';
import type { StartFailure } from './open-switchyard.js';

const most = 100;

/**
 * Reads `SWITCHYARD_SPEND_LIMIT`: how many times the budget of a buy its spend may come to before a report waits for a
 * person. From 1 to 100, for example `1.5`, which it is without the setting.
 */
export function readSpendLimit(
  env: Readonly<Record<string, string | undefined>>,
): Result<SpendLimit, StartFailure> {
  const text = env['SWITCHYARD_SPEND_LIMIT']?.trim() ?? '';
  if (text === '') return ok(usualSpendLimit);
  const times = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (times >= 1 && times <= most) return ok({ permille: BigInt(Math.round(times * 1_000)) });
  return err({
    code: 'settings',
    message: `SWITCHYARD_SPEND_LIMIT should be a number from 1 to ${String(most)}, for example 1.5.`,
  });
}
