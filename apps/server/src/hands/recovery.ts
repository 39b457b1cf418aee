import { recoverReports, type RecoveryParts } from './recover-reports.js';

/** How often the rows are looked at; when a seller is asked stands in them. */
const everyMs = 10_000;

export interface Recovery {
  /** Stops, and resolves when the round under way is done. */
  stop(): Promise<void>;
}

/** Looks for reports that are owed, apart from the sweep: a seller that hangs must not hold up anybody's inbox. */
export function startRecovery(parts: RecoveryParts): Recovery {
  let stopped = false;
  let running = Promise.resolve();
  let cancel = (): void => undefined;
  const round = async (): Promise<void> => {
    for (const organizationId of await parts.organizations.ids())
      if (!stopped) await recoverReports(parts, { organizationId });
  };
  const plan = (): void => {
    cancel = parts.ports.clock.after(everyMs, () => {
      running = round()
        .catch((error: unknown) => parts.onUnexpected(error, 'recovering reports'))
        .then(() => {
          if (!stopped) plan();
        });
    });
  };
  plan();
  return {
    stop: async () => {
      stopped = true;
      cancel();
      await running;
    },
  };
}
