import type { SellerReply } from '../task-spec.js';

/** Codes by which a seller says that it is not what it was taken for: another release, or other features. */
const outdated: ReadonlySet<string> = new Set(['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE']);

/** Whether a seller has refused because what is known of it is out of date, so that its capabilities are asked for again. */
export function isOutdated({ errors }: Pick<SellerReply, 'errors'>): boolean {
  return errors.some(({ code }) => outdated.has(code));
}
