import { endpointOf } from './endpoint-breaker.js';

/**
 * A buyer's address for display: without user information, query and fragment, and with `[redacted]` for each
 * path segment that may be a secret. Buyers put tokens into paths as well, and readers of webhook_activity
 * may be other people than the owner of the address.
 */
export function shownAddress(url: string): string {
  const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/]*)(.*)$/is.exec(endpointOf(url)) ?? [];
  return origin + path.split('/').map(shownSegment).join('/');
}

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
const jwt = /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/;
/** Letters and digits without separators, unlike a word: 20 of them have at least a hundred random bits. */
const random = /(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9]{20,}/;

function shownSegment(segment: string): string {
  return [uuid, jwt, random].some((pattern) => pattern.test(segment)) ? '[redacted]' : segment;
}
