import type { JsonObject, JsonValue } from '../../api/client.js';
import { isObject, objectsIn, textAt } from '../../api/task.js';
import {
  needsCryptography,
  parse,
  signatureCheck,
  signerCheck,
  type Check,
} from '../finance/verify-statement.js';

const format = 'switchyard.custody.export.1';

/** Whether a document is an exported chain of custody. */
export const isChain = (document: JsonValue | undefined): document is JsonObject =>
  isObject(document) && document['format'] === format;

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Checks an exported chain of custody with only the file and the browser's own SHA-256: each record has its hash, each
 * block has the hash of its members and follows the block before it, and the last one is the head. Anybody can make such a
 * chain: the signer is known only if the head is signed, and the published key set says whose the key is.
 */
export async function verifyChain(document: JsonObject, published?: JsonValue): Promise<readonly Check[]> {
  needsCryptography('npx switchyard verify FILE');
  const stream = textAt(document['stream']);
  const head = isObject(document['head']) ? document['head'] : {};
  const blocks = objectsIn(document['blocks']);
  let last = await sha256(JSON.stringify(['switchyard.journal.genesis.1', stream]));
  let records = 0;
  for (const [at, block] of blocks.entries()) {
    const entries = objectsIn(block['entries']);
    for (const { body, hash } of entries)
      if (typeof body !== 'string' || (await sha256(body)) !== hash)
        return [broken('Records', `A record of block ${at + 1} is not what was hashed: ${idIn(body)}.`)];
    if (block['number'] !== String(at + 1) || block['previous_hash'] !== last)
      return [broken('Blocks', `Block ${at + 1} does not follow the one before it.`)];
    const preimage = ['switchyard.journal.block.1', stream, block['number'], last, block['sealed_at']];
    last = await sha256(JSON.stringify([...preimage, entries.map(({ hash }) => hash)]));
    if (block['hash'] !== last)
      return [broken('Blocks', `Block ${at + 1} has another hash than its records and its time give.`)];
    records += entries.length;
  }
  const isHead =
    head['number'] === String(blocks.length) &&
    head['hash'] === last &&
    head['entry_total'] === String(records);
  return [
    { name: 'Records', holds: true, says: `Each of ${records} records has its hash.` },
    { name: 'Blocks', holds: true, says: `Each of ${blocks.length} blocks follows the one before it.` },
    {
      name: 'Head',
      holds: isHead,
      says: isHead ? `The chain ends with ${last}.` : 'The chain does not end where its head says.',
    },
    ...(await signedHead(document, { stream, number: head['number'], hash: head['hash'] }, published)),
  ];
}

/** Of the signed heads in an export the first one is the head of the export itself. */
async function signedHead(
  { anchors, organization }: JsonObject,
  head: Readonly<Record<string, JsonValue | undefined>>,
  published: JsonValue | undefined,
): Promise<readonly Check[]> {
  const { jws, key } = objectsIn(anchors)[0] ?? {};
  if (typeof jws !== 'string' || !isObject(key))
    return [{ name: 'Signer', holds: undefined, says: 'Nobody signed its head: anybody can make a chain.' }];
  const signature = await signatureCheck(jws, key, 'switchyard-anchor+jws', (payload) => {
    const signed = parse(payload);
    const isThis = isObject(signed) && Object.entries(head).every(([name, value]) => signed[name] === value);
    return isThis ? undefined : 'The signed head is another one.';
  });
  return [signature, signerCheck(key, organization, published)];
}

const broken = (name: string, says: string): Check => ({ name, holds: false, says });

/** The id of a record, for people; the text may have been changed. */
function idIn(body: JsonValue | undefined): string {
  const record = typeof body === 'string' ? parse(body) : undefined;
  return (isObject(record) && textAt(record['id'])) || 'its id cannot be read';
}
