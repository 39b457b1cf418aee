import type { AnyTaskSpec } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

/** False for a seller whose list of tools is known and names the task nowhere. A card of A2A promises nothing. */
export function offersTask(
  { tools, protocol, dialect }: Pick<Connection, 'tools' | 'protocol' | 'dialect'>,
  spec: Pick<AnyTaskSpec, 'names'>,
): boolean {
  if (protocol === 'a2a' || tools === undefined || Object.keys(tools).length === 0) return true;
  return spec.names[dialect].some((name) => Object.hasOwn(tools, name));
}
