import { every, type Rounds } from './every.js';
import { recoverReports, type RecoveryParts } from './recover-reports.js';

/** How often the rows are looked at; when a seller is asked stands in them. */
const everyMs = 10_000;

/** Looks for reports that are owed, apart from the sweep: a seller that hangs must not hold up anybody's inbox. */
export function startRecovery(parts: RecoveryParts): Rounds {
  const round = async (): Promise<void> => {
    for (const organizationId of await parts.organizations.ids())
      await recoverReports(parts, { organizationId });
  };
  return every(parts.ports.clock, everyMs, round, (error) => parts.onUnexpected(error, 'recovering reports'));
}
