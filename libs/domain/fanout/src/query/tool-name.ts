import type { Dialect } from '@switchyard/protocol';
import { traitsOf, type Connection } from '@switchyard/sellers';

/** The part of a task with its names. */
export interface NamedTask {
  readonly names: Readonly<Record<Dialect, readonly [string, ...string[]]>>;
}

/**
 * Returns the name of the task at this seller: the first of our names that it lists, otherwise our primary name.
 * Returns `undefined` if its list is known and has none of them. An A2A card need not list all skills, so there a
 * missing name is not conclusive.
 */
export function toolNameFor(task: NamedTask, connection: Connection): string | undefined {
  const names = task.names[connection.dialect];
  const listed = connection.tools;
  if (listed === undefined || Object.keys(listed).length === 0) return names[0];
  const found = names.find((name) => Object.hasOwn(listed, name));
  return found ?? (traitsOf(connection.protocol).listsTools ? undefined : names[0]);
}
