import { endpointOf } from './endpoint-breaker.js';

/**
 * A buyer's address as it is shown: without user information, query and fragment, and with `[redacted]` for each
 * segment of the path that may be a secret. Buyers put tokens into paths as well as into queries, and whoever reads
 * webhook_activity need not be who registered the address.
 */
export function shownAddress(url: string): string {
  const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/]*)(.*)$/is.exec(endpointOf(url)) ?? [];
  return origin + path.split('/').map(shownSegment).join('/');
}

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
const jwt = /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/;
/** Letters and digits without a break, as no word is written: 20 of them hold at least a hundred random bits. */
const random = /(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9]{20,}/;

function shownSegment(segment: string): string {
  return [uuid, jwt, random].some((pattern) => pattern.test(segment)) ? '[redacted]' : segment;
}
