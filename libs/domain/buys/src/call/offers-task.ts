import type { AnyTaskSpec } from '@switchyard/protocol';
import { traitsOf, type Connection } from '@switchyard/sellers';

/** False for a seller whose list of tools is known and lacks the task. A2A cards do not list tasks. */
export function offersTask(
  { tools, protocol, dialect }: Pick<Connection, 'tools' | 'protocol' | 'dialect'>,
  spec: Pick<AnyTaskSpec, 'names'>,
): boolean {
  if (!traitsOf(protocol).listsTools || tools === undefined || Object.keys(tools).length === 0) return true;
  return spec.names[dialect].some((name) => Object.hasOwn(tools, name));
}
