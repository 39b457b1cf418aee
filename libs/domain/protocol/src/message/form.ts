import type { JsonObject } from '@switchyard/values';
import type { Original } from './original.js';
import type { Form } from '../versions/wire-profile.js';
import { objectAt } from './pick.js';

/** True for 3.0 and 3.1, whose shapes differ in details only. */
export function is3x(form: Original['form']): form is '3.0' | '3.1' {
  return form === '3.0' || form === '3.1';
}

/** Name of our extension, for members that a form does not have. */
export const extName = 'switchyard';

/** Marks an item with its seller: at the top level in the `service` form, under `ext.switchyard` elsewhere. */
export function markSeller(item: JsonObject, seller: string | undefined, form: Form): JsonObject {
  if (seller === undefined) return item;
  return form === 'service' ? { ...item, seller } : { ...item, ...withExt(item, { seller }) };
}

/** An item's `ext` with our members added. */
export function withExt(item: JsonObject, members: JsonObject): { readonly ext: JsonObject } {
  const ext = objectAt(item, 'ext') ?? {};
  return { ext: { ...ext, [extName]: { ...(objectAt(ext, extName) ?? {}), ...members } } };
}

/** Reads the mark of `markSeller`, when the seller is another installation of this product. */
export function sellerOf(item: JsonObject): string | undefined {
  const seller = objectAt(objectAt(item, 'ext'), extName)?.['seller'] ?? item['seller'];
  return typeof seller === 'string' ? seller : undefined;
}
