import type { HandsParts } from './hands-parts.js';
import { refreshCapabilities } from './refresh-capabilities.js';

/** How often what is not urgent is looked after, in milliseconds. */
const everyMs = 60_000;

export interface Chores {
  /** Stops, and resolves when the chore under way is done. */
  stop(): Promise<void>;
}

/** Looks after what ages by itself, once a minute: what sellers say they can do. A failure waits for the next round. */
export function startChores(parts: HandsParts): Chores {
  let stopped = false;
  let running = Promise.resolve();
  let cancel = (): void => undefined;
  const round = async (): Promise<void> => {
    for (const organizationId of await parts.organizations.ids())
      await refreshCapabilities(parts, { organizationId });
  };
  const plan = (): void => {
    cancel = parts.ports.clock.after(everyMs, () => {
      running = round()
        .catch((error: unknown) => parts.onUnexpected(error, 'the chores'))
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
