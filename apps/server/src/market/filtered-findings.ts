import type { Merged } from '@switchyard/fanout';
import type { JsonValue } from '@switchyard/values';

/** One finding per seller with the number of items left out because they do not match the buyer's filters. */
export function filteredFindings({
  filteredOut,
}: Pick<Merged<unknown>, 'filteredOut'>): readonly JsonValue[] {
  return Object.entries(filteredOut).map(([seller, count]) => {
    const what = count === 1 ? '1 item that does' : `${count} items that do`;
    return { seller, code: 'FILTERED_OUT', message: `It sent ${what} not meet the filters: left out.` };
  });
}
