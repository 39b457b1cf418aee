import { isBelowBooked } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { LimitChecks } from '@switchyard/store';
import type { AlarmRepository, TenantScope } from '@switchyard/tenancy';

interface CheckDeps {
  readonly limitChecks: LimitChecks;
  readonly alarms: Pick<AlarmRepository, 'raise'>;
}

/**
 * Compares the limits of each organization whose commitments changed with what the ledger has booked. Raises an alarm
 * for each that counts less, and checks that organization again in the next round. Answers how many alarms were raised.
 */
export async function checkLimits(deps: CheckDeps): Promise<number> {
  let raised = 0;
  for (const organizationId of await deps.limitChecks.organizations())
    if (await deps.limitChecks.take({ organizationId })) raised += await checkOne(deps, { organizationId });
  return raised;
}

async function checkOne({ limitChecks, alarms }: CheckDeps, scope: TenantScope): Promise<number> {
  const below = (await limitChecks.sums(scope)).filter(isBelowBooked);
  for (const { limitId, limit, currency, month, ...sum } of below)
    await alarms.raise(scope, {
      kind: 'limit_below_booked',
      subject: `limit ${limitId} ${currency} ${month ?? ''}`.trimEnd(),
      detail: {
        ...{ limit_id: limitId, limit, currency, ...(month !== undefined && { month }) },
        committed: microsToDecimal(sum.committedMicros),
        pending: microsToDecimal(sum.pendingMicros),
        booked: microsToDecimal(sum.bookedMicros),
      },
    });
  if (below.length > 0) await limitChecks.askAgain(scope);
  return below.length;
}
