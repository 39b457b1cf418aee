import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { StoredMessage } from '@switchyard/store';
import { ParquetFile, parquetRows, TableFault, type WrittenFile } from '@switchyard/tables';

/** Beside the files of the ledger: the messages of sellers that were received in the same months. */
export const messageFile = 'messages.parquet';

const columns = {
  id: 'text',
  seller: 'text',
  kind: 'text',
  state: 'text',
  sender: 'text',
  keyid: 'text',
  sender_keys: 'text',
  registration_id: 'text',
  received_at: 'time',
  headers: 'text',
  verdict: 'text',
  body_sha256: 'text',
  body_base64: 'text',
  body_purged_at: 'time',
} as const;

export async function writeMessages(
  folder: string,
  messages: AsyncIterable<StoredMessage>,
): Promise<WrittenFile> {
  const file = new ParquetFile(join(folder, messageFile), columns);
  for await (const message of messages)
    await file.write([
      {
        id: message.id,
        seller: message.seller,
        kind: message.kind,
        state: message.state,
        sender: message.sender,
        keyid: message.keyid ?? null,
        sender_keys: JSON.stringify(message.senderKeys),
        registration_id: message.registrationId,
        received_at: new Date(message.receivedAt),
        headers: JSON.stringify(message.headers),
        verdict: JSON.stringify(message.verdict),
        body_sha256: message.bodyHash,
        body_base64: message.body?.toString('base64') ?? null,
        body_purged_at: message.bodyPurgedAt === undefined ? null : new Date(message.bodyPurgedAt),
      },
    ]);
  return file.finish();
}

/** Hashes of messages that entries name: all, and those whose bytes are in no file that was read. */
export interface NamedMessages {
  readonly all: Set<string>;
  readonly missing: Set<string>;
}

/** Hashes every message of a file. Throws a `TableFault` if one has other bytes than were received. */
export async function checkMessages(
  folder: string,
  { missing }: Pick<NamedMessages, 'missing'>,
): Promise<void> {
  const path = join(folder, messageFile);
  for await (const rows of parquetRows(path, columns))
    for (const { id, body_sha256: stated, body_base64: body } of rows) {
      if (typeof body !== 'string' || typeof stated !== 'string') continue;
      const hash = createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex');
      if (hash !== stated)
        throw new TableFault(`${path}: the message ${String(id)} has other bytes than were received.`);
      missing.delete(hash);
    }
}
