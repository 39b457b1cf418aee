import type { Merged } from '@switchyard/fanout';
import type { JsonValue } from '@switchyard/values';

/** Says of each seller how much of what it sent does not meet the buyer's own filters: it is left out, and not in silence. */
export function filteredFindings({
  filteredOut,
}: Pick<Merged<unknown>, 'filteredOut'>): readonly JsonValue[] {
  return Object.entries(filteredOut).map(([seller, count]) => {
    const what = count === 1 ? '1 item that does' : `${count} items that do`;
    return { seller, code: 'FILTERED_OUT', message: `It sent ${what} not meet the filters: left out.` };
  });
}
