import type { Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';

/**
 * Names the seller on an item of a projected list: as `seller` in the `service` form, as `ext.switchyard.seller`
 * elsewhere, where strict readers allow vendor data nowhere else.
 */
export function stampSeller(item: JsonObject, seller: string, form: Form): JsonObject {
  if (form === 'service') return { ...item, seller };
  const ext = isJsonObject(item['ext']) ? item['ext'] : {};
  // A seller's own words under our name would be taken for ours: they are replaced whole.
  return { ...item, ext: { ...ext, switchyard: { seller } } };
}
