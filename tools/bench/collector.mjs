/** A collector of traces that counts spans and forgets them. Started by `fork`; uses IPC with its parent. */
import { createServer } from 'node:http';

let spans = 0;
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  spans += text.split('"spanId"').length - 1;
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('message', () => process.send({ spans }));
process.on('disconnect', () => process.exit(0));
