import type { SellerReply } from '../task-spec.js';

/** Error codes of a seller whose release or features differ from the stored ones. */
const outdated: ReadonlySet<string> = new Set(['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE']);

/** True if a seller refused because its stored capabilities are outdated and must be fetched again. */
export function isOutdated({ errors }: Pick<SellerReply, 'errors'>): boolean {
  return errors.some(({ code }) => outdated.has(code));
}
