import type { JsonObject } from '@switchyard/values';
import { dialects } from '../versions/dialect.js';
import type { Dialect } from '../versions/wire-profile.js';
import { without } from '../message/pick.js';
import { lifecycleMember } from './lifecycle-task.js';
import type { ReleaseName } from './release.js';
import { release32 } from './release-3.2/release-3.2.js';
import { standIns as standIns32 } from './release-3.2/sellers/stand-ins.js';
import type { StandIn } from './seller-lifecycle.js';

/** Releases whose lifecycle tasks sellers may have in place of older ones, newest first. */
const known: readonly {
  readonly release: ReleaseName;
  readonly standIns: Readonly<Record<string, StandIn>>;
}[] = [{ release: release32.name, standIns: standIns32 }];

type Tools = Readonly<Record<string, readonly string[]>>;

/**
 * The tools of a seller, with those of older tasks that its lifecycle tasks stand for: everything else here asks by the older
 * ones. Tools of other sellers stay as they are.
 */
export function withStandIns(tools: Tools): Tools {
  const added = known.flatMap(({ standIns }) =>
    Object.entries(standIns)
      .filter(
        ([older, { by }]) => !Object.hasOwn(tools, older) && by.some((name) => Object.hasOwn(tools, name)),
      )
      .map(([older, { carries }]) => [older, [...carries, lifecycleMember]] as const),
  );
  return added.length === 0 ? tools : { ...tools, ...Object.fromEntries(added) };
}

/** The release of a seller that has lifecycle tasks in place of older ones; `undefined` for every other seller. */
export function lifecycleReleaseOf(tools: Tools | undefined): ReleaseName | undefined {
  return known.find(({ standIns }) => Object.keys(standIns).some((older) => isStoodFor(tools, older)))
    ?.release;
}

/** How such a seller is asked an older task; `undefined` for a task that it has itself. */
export function standInFor(tools: Tools | undefined, task: string): StandIn | undefined {
  if (!isStoodFor(tools, task)) return undefined;
  return known.map(({ standIns }) => standIns[task]).find((standIn) => standIn !== undefined);
}

function isStoodFor(tools: Tools | undefined, task: string): boolean {
  return Object.hasOwn(tools ?? {}, task) && tools?.[task]?.includes(lifecycleMember) === true;
}

/** Arguments with the name of the release in place of another version. */
export function inRelease(args: JsonObject, dialect: Dialect, release: ReleaseName): JsonObject {
  const { versionField } = dialects[dialect];
  return { ...without(args, [lifecycleMember]), [versionField]: release };
}
