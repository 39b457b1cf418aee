import { randomBytes, randomUUID } from 'node:crypto';
import type { IdSource } from '@switchyard/buys';

/** Random ids: UUIDs, and prefixed tokens of 144 random bits. */
export const systemIds: IdSource = {
  uuid: () => randomUUID(),
  token: (prefix) => `${prefix}_${randomBytes(18).toString('base64url')}`,
};
