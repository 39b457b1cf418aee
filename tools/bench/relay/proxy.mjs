/**
 * The floor of every relay in Node: receives a POST, sends its bytes on with the session and a credential, and sends
 * the answer back. It verifies, decides and records nothing. A separate process.
 *
 * With `ownerUrl` it makes the smallest possible check before it sends: one Ed25519 verification and one row in our
 * database, without waiting for the disk. No relay in Node that verifies and records is faster.
 *
 * With `records` too it stores as many rows as we do, in one statement before the call, and for a change in one more
 * after it. A change is flushed to the disk before it is sent. No relay that keeps such records is faster.
 */
import { randomUUID, sign, verify } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { Agent, request as ask } from 'undici';
import { generateSigningKey } from '@switchyard/signing';
import { sessionAt } from './session.mjs';

const dispatcher = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 30_000 });
const credential = { authorization: 'Bearer bench-token' };
const passedOn = ['content-type', 'accept', 'content-digest', 'signature', 'signature-input'];
let target;
let check = async () => undefined;
let record = async () => undefined;

/**
 * Rows that a relayed read and a relayed change store before the call and after it: request, audit, nonce; and for a
 * change also its operation, leg, buy, package, offer, budget, and afterwards their new versions, the seller's buy, the
 * ledger's entry and the custody record. The record of a read shares a block with others, and is left out.
 */
const rowsOf = { read: { before: 3, after: 0 }, change: { before: 9, after: 9 } };

/** Its own signature, as long as the base of a sealed request, so that nothing has to be parsed. */
async function checking(connectionString, records) {
  const { privateKey, publicKey } = generateSigningKey('floor');
  const base = Buffer.alloc(400, 'a');
  const signature = sign(null, base, privateKey);
  const [unflushed, flushed] = await Promise.all(
    ['off', 'on'].map(async (flush) => {
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(`set synchronous_commit = ${flush}`);
      return client;
    }),
  );
  await unflushed.query(
    'create table if not exists bench_floor (id uuid primary key, at timestamptz not null default now(), note text)',
  );
  const text = 'insert into bench_floor (id, note) select id, $2 from unnest($1::uuid[]) as id';
  const insert = (client, count, note) =>
    client.query({ name: 'floor', text, values: [Array.from({ length: count }, () => randomUUID()), note] });
  const clientOf = (kind) => (records && kind === 'change' ? flushed : unflushed);
  check = async (body, kind) => {
    if (!verify(null, base, publicKey, signature)) throw new Error('The signature does not hold.');
    await insert(clientOf(kind), records ? rowsOf[kind].before : 1, body.toString('utf8'));
  };
  if (records)
    record = async (body, kind) => {
      const { after } = rowsOf[kind];
      if (after > 0) await insert(unflushed, after, body.toString('utf8'));
    };
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const headers = { ...target.session, ...credential };
    for (const name of passedOn)
      if (request.headers[name] !== undefined) headers[name] = request.headers[name];
    const sent = Buffer.concat(chunks);
    const kind = sent.includes('create_media_buy') ? 'change' : 'read';
    await check(sent, kind);
    const answer = await ask(target.url, { method: 'POST', headers, body: sent, dispatcher });
    const body = Buffer.from(await answer.body.arrayBuffer());
    response.writeHead(answer.statusCode, {
      'content-type': answer.headers['content-type'],
      'content-length': body.length,
    });
    response.end(body);
    await record(body, kind);
  });
});
server.keepAliveTimeout = 120_000;
process.on('message', async ({ url, ownerUrl, records }) => {
  if (ownerUrl !== undefined) await checking(ownerUrl, records === true);
  target = { url, session: await sessionAt(url, dispatcher, credential) };
  server.listen(0, '127.0.0.1', () => {
    process.send({ post: `http://127.0.0.1:${server.address().port}/mcp` });
  });
});
process.on('disconnect', () => process.exit(0));
