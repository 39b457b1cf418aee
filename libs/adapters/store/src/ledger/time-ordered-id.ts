import { randomUUID } from 'node:crypto';

/**
 * A version 7 UUID: it starts with the milliseconds, so that rows made one after another are adjacent in their indexes
 * and inserts touch few pages. The rest is that of a random UUID, whose variant bits are the same.
 */
export function timeOrderedId(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
