import type { Dialect } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

/** The part of a task with its names. */
export interface NamedTask {
  readonly names: Readonly<Record<Dialect, readonly [string, ...string[]]>>;
}

/**
 * The name under which this seller takes the task: the first of our names that it lists, else our primary one.
 * `undefined` when its list is known and holds none of them. Over A2A the card's skills are a description rather
 * than a promise, so there nothing is concluded from an absent one.
 */
export function toolNameFor(task: NamedTask, connection: Connection): string | undefined {
  const names = task.names[connection.dialect];
  const listed = connection.tools;
  if (listed === undefined || Object.keys(listed).length === 0) return names[0];
  const found = names.find((name) => Object.hasOwn(listed, name));
  return found ?? (connection.protocol === 'a2a' ? names[0] : undefined);
}
