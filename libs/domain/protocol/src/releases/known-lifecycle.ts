import type { LifecycleTask } from './lifecycle-task.js';
import type { ReleaseName } from './release.js';
import { lifecycle as lifecycle32 } from './release-3.2/lifecycle.js';
import { release32 } from './release-3.2/release-3.2.js';

/**
 * Tasks that releases added beside older ones, oldest release first. They stand apart from `knownReleases`, because they
 * answer errors, and the table of errors is built from that.
 */
export const knownLifecycle: readonly {
  readonly release: ReleaseName;
  readonly tasks: readonly LifecycleTask[];
}[] = [{ release: release32.name, tasks: lifecycle32 }];
