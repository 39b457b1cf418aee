/**
 * The floor of every relay in Node: takes a POST, sends its bytes on with the session and a credential beside them, and
 * sends the answer back. It verifies, decides and records nothing. A process of its own.
 */
import { createServer } from 'node:http';
import { Agent, request as ask } from 'undici';
import { sessionAt } from './session.mjs';

const dispatcher = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 30_000 });
const credential = { authorization: 'Bearer bench-token' };
const passedOn = ['content-type', 'accept', 'content-digest', 'signature', 'signature-input'];
let target;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const headers = { ...target.session, ...credential };
    for (const name of passedOn)
      if (request.headers[name] !== undefined) headers[name] = request.headers[name];
    const answer = await ask(target.url, {
      method: 'POST',
      headers,
      body: Buffer.concat(chunks),
      dispatcher,
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    response.writeHead(answer.statusCode, {
      'content-type': answer.headers['content-type'],
      'content-length': body.length,
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 120_000;
process.on('message', async ({ url }) => {
  target = { url, session: await sessionAt(url, dispatcher, credential) };
  server.listen(0, '127.0.0.1', () => {
    process.send({ post: `http://127.0.0.1:${server.address().port}/mcp` });
  });
});
process.on('disconnect', () => process.exit(0));
