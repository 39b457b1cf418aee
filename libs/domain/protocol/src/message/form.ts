import type { JsonObject } from '@switchyard/values';
import type { Original } from './original.js';
import type { Form } from '../versions/wire-profile.js';
import { objectAt } from './pick.js';

/** The two releases whose shapes differ in details only. */
export function is3x(form: Original['form']): form is '3.0' | '3.1' {
  return form === '3.0' || form === '3.1';
}

/** Our own vendor members, where a form has no place of its own for them. */
export const extName = 'switchyard';

/** Says which seller an item came from: at the top level in the `service` form, under `ext.switchyard` elsewhere. */
export function markSeller(item: JsonObject, seller: string | undefined, form: Form): JsonObject {
  if (seller === undefined) return item;
  return form === 'service' ? { ...item, seller } : { ...item, ...withExt(item, { seller }) };
}

/** `ext` of an object, with our members added to those that are there. */
export function withExt(item: JsonObject, members: JsonObject): { readonly ext: JsonObject } {
  const ext = objectAt(item, 'ext') ?? {};
  return { ext: { ...ext, [extName]: { ...(objectAt(ext, extName) ?? {}), ...members } } };
}

/** The mark that `markSeller` left, for a reader that stands behind another platform of ours. */
export function sellerOf(item: JsonObject): string | undefined {
  const seller = objectAt(objectAt(item, 'ext'), extName)?.['seller'] ?? item['seller'];
  return typeof seller === 'string' ? seller : undefined;
}
