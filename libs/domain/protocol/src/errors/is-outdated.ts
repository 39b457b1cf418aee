import type { SellerReply } from '../task-spec.js';

/** Codes of a seller that has another release, or other features, than is stored. */
const outdated: ReadonlySet<string> = new Set(['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE']);

/** Whether a seller refused because its stored capabilities are out of date and must be read again. */
export function isOutdated({ errors }: Pick<SellerReply, 'errors'>): boolean {
  return errors.some(({ code }) => outdated.has(code));
}
