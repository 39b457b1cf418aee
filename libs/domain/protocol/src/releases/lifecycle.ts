import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { TaskError } from '../errors/task-fault.js';
import type { ExactNumbers } from '../task-spec.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { knownLifecycle } from './known-lifecycle.js';
import { knownReleases } from './known-releases.js';
import { lifecycleMember, type LifecycleTask } from './lifecycle-task.js';

export function lifecycleTask(name: string): LifecycleTask | undefined {
  return knownLifecycle.flatMap(({ tasks }) => tasks).find((task) => task.name === name);
}

/** The tasks of a release, with those of earlier ones; none for who names no release. */
export function lifecycleTasksOf({ release }: Pick<WireProfile, 'release'>): readonly LifecycleTask[] {
  const place = knownReleases.findIndex((known) => known.name === release);
  return knownReleases
    .slice(0, place + 1)
    .flatMap((known) => knownLifecycle.filter((one) => one.release === known.name))
    .flatMap(({ tasks }) => tasks);
}

/** The task of this name in the release of a caller: later releases have those of earlier ones. */
export function lifecycleTaskOf(name: string, profile: WireProfile): LifecycleTask | undefined {
  return lifecycleTasksOf(profile).find((task) => task.name === name);
}

/** Releases that have a task of this name, for the refusal of a call in another one. */
export function releasesWith(name: string): readonly string[] {
  return knownLifecycle
    .filter(({ tasks }) => tasks.some((task) => task.name === name))
    .map(({ release }) => release);
}

/** The task by which stored arguments were asked, and its notes; `undefined` for arguments of the older task itself. */
export function askedBy(
  args: JsonObject,
): { readonly task: LifecycleTask; readonly asked: JsonObject } | undefined {
  const asked = args[lifecycleMember];
  const name = isJsonObject(asked) ? asked['task'] : undefined;
  const task = typeof name === 'string' ? lifecycleTask(name) : undefined;
  return task === undefined || !isJsonObject(asked) ? undefined : { task, asked };
}

/** Exact numbers of a call at their places in the arguments of the older task. */
export function exactIn({ renamed = {} }: LifecycleTask, exact: ExactNumbers): ExactNumbers {
  const pointerOf = (place: string): string => `/${place.replaceAll('.', '/')}/`;
  const places = Object.entries(renamed).map((names) => names.map(pointerOf) as [string, string]);
  return new Map(
    [...exact].map(([pointer, text]) => {
      const [own, older] = places.find(([from]) => pointer.startsWith(from)) ?? ['', ''];
      return [`${older}${pointer.slice(own.length)}`, text];
    }),
  );
}

/** Errors of the older task with the places of this one. */
export function errorsIn(
  { renamed = {} }: LifecycleTask,
  errors: readonly TaskError[],
): readonly TaskError[] {
  const own = Object.entries(renamed);
  return errors.map((error) => {
    const found = own.find(([, older]) => error.field?.startsWith(older) === true);
    return found === undefined ? error : { ...error, field: error.field?.replace(found[1], found[0]) ?? '' };
  });
}
