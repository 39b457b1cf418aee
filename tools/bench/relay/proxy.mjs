/**
 * The floor of every relay in Node: receives a POST, sends its bytes on with the session and a credential, and sends
 * the answer back. It verifies, decides and records nothing. A separate process.
 *
 * With `ownerUrl` it makes the smallest possible check before it sends: one Ed25519 verification and one row in our
 * database, without waiting for the disk. No relay in Node that verifies and records is faster.
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

/** Its own signature, as long as the base of a sealed request, so that nothing has to be parsed. */
async function checking(connectionString) {
  const { privateKey, publicKey } = generateSigningKey('floor');
  const base = Buffer.alloc(400, 'a');
  const signature = sign(null, base, privateKey);
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`set synchronous_commit = off;
    create table if not exists bench_floor (id uuid primary key, at timestamptz not null default now(), note text)`);
  const text = 'insert into bench_floor (id, note) values ($1, $2)';
  return async (body) => {
    if (!verify(null, base, publicKey, signature)) throw new Error('The signature does not hold.');
    await client.query({ name: 'floor', text, values: [randomUUID(), body.toString('utf8')] });
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
    await check(sent);
    const answer = await ask(target.url, { method: 'POST', headers, body: sent, dispatcher });
    const body = Buffer.from(await answer.body.arrayBuffer());
    response.writeHead(answer.statusCode, {
      'content-type': answer.headers['content-type'],
      'content-length': body.length,
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 120_000;
process.on('message', async ({ url, ownerUrl }) => {
  if (ownerUrl !== undefined) check = await checking(ownerUrl);
  target = { url, session: await sessionAt(url, dispatcher, credential) };
  server.listen(0, '127.0.0.1', () => {
    process.send({ post: `http://127.0.0.1:${server.address().port}/mcp` });
  });
});
process.on('disconnect', () => process.exit(0));
