import { abandonedWork, type Organizations, type Store } from '@switchyard/store';
import { systemClock } from './clock.js';

/** Before anybody works: what the process before us was at when it was killed need not wait for its lease. */
export async function giveBackWork(store: Store, organizations: Pick<Organizations, 'ids'>): Promise<void> {
  const work = abandonedWork(store);
  for (const organizationId of await organizations.ids())
    await work.giveBack({ organizationId }, systemClock.now());
}
