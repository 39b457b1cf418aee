import { randomBytes, randomUUID } from 'node:crypto';
import type { IdSource } from '@switchyard/buys';

/** Ids of chance: UUIDs, and prefixed tokens of 144 random bits. */
export const systemIds: IdSource = {
  uuid: () => randomUUID(),
  token: (prefix) => `${prefix}_${randomBytes(18).toString('base64url')}`,
};

/** True for the text of a UUID: what is none is no id of ours, and the database is not asked. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
