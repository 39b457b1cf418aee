import { randomBytes, randomUUID } from 'node:crypto';
import type { IdSource } from '@switchyard/buys';
import { cellMark, newToken, type NewToken } from '@switchyard/tenancy';

/** The cell of this process (docs/growth.md#cells): one for all that it makes, as it has one database. */
let cell: string | undefined;

/** Names the cell, before anything is made. Undefined: what is made has no letter. */
export function serveCell(letter: string | undefined): void {
  cell = letter;
}

/** Random ids: UUIDs, and prefixed tokens of 144 random bits. */
export const systemIds: IdSource = {
  uuid: () => randomUUID(),
  token: (prefix) => `${prefix}_${cellMark(cell)}${randomBytes(18).toString('base64url')}`,
};

/** A token of this cell, of 32 bytes that are random unless they are derived from a secret. */
export const tokenOfCell = (random32: Uint8Array = randomBytes(32)): NewToken => newToken(random32, cell);
