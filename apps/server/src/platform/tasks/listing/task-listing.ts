import {
  lifecycleTasksOf,
  releaseNames,
  servingTask,
  tasks,
  type LifecycleTask,
  type ReleaseName,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { HttpFault } from '../../http/http-answer.js';
import { describeTask } from './task-descriptions.js';

/** One task as a protocol lists it, under one of its names. */
export interface TaskListing {
  readonly name: string;
  /** Its first name, which is its key in the table. */
  readonly of: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly access: 'public' | 'limited' | 'credentials';
  /** The release that a caller has to name for it; absent where any may be named. */
  readonly release?: ReleaseName;
  inputSchema(): JsonObject;
}

let listed: readonly TaskListing[] | undefined;

/**
 * Every name of every task, in both dialects, each name once, then the tasks of later releases. The table does not change at
 * run time.
 */
export function taskListings(): readonly TaskListing[] {
  listed ??= [...byName().values(), ...releaseNames.flatMap(lifecycleListings)];
  return listed;
}

/** The tasks that callers of this release have beside those of everybody. */
export function lifecycleListings(release: ReleaseName): readonly TaskListing[] {
  return lifecycleTasksOf({ release }).map((task) => lifecycleListing(task, release));
}

function lifecycleListing(task: LifecycleTask, release: ReleaseName): TaskListing {
  const { name } = task;
  const serving = servingTask(name);
  const { title, description } = describeTask(name);
  return {
    ...{ name, of: name, title, release },
    description: `${description} Only in release ${release}, which each call names in adcp_version.`,
    readOnly: serving?.kind === 'read' && task.isRepeatable !== true,
    access: serving?.access ?? 'credentials',
    inputSchema: () => task.inputSchema(),
  };
}

/** True if a task has this name in either dialect. */
export function isTaskName(name: string): boolean {
  return servingTask(name) !== undefined;
}

/** The fault for an unknown task; names the nearest known one. */
export function unknownTask(name: string, field: string): HttpFault {
  const shown = name.slice(0, 64).replace(/[^\x20-\x7e]/g, '?');
  return {
    code: 'NOT_FOUND',
    message: `There is no task named "${shown}".`,
    field,
    suggestion: `Did you mean ${nearest(name)}? The list of tasks is complete in tools/list and /openapi.json.`,
  };
}

function byName(): Map<string, TaskListing> {
  const names = new Map<string, TaskListing>();
  for (const spec of tasks) {
    const inputSchema = (): JsonObject => ({ type: 'object', ...spec.inputSchema() });
    for (const name of [...spec.names.ads, ...spec.names.adcp]) {
      if (names.has(name)) continue;
      const { title, description } = describeTask(spec.name);
      const readOnly = spec.kind === 'read';
      names.set(name, {
        name,
        of: spec.name,
        title,
        description,
        readOnly,
        access: spec.access,
        inputSchema,
      });
    }
  }
  return names;
}

function nearest(name: string): string {
  const names = new Set(tasks.flatMap((spec) => [...spec.names.ads, ...spec.names.adcp]));
  const distances = [...names].map((known) => ({
    name: known,
    distance: editDistance(known, name.slice(0, 64)),
  }));
  return distances.sort((a, b) => a.distance - b.distance)[0]?.name ?? 'another one';
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
