import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server on loopback with TXT records only: by name, each as the chunks that are sent. */
export async function startNameServer(known: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, known), port, address));
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${String(socket.address().port)}`,
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

/** RFC 1035, section 4: the question again, and a record for each text; `NXDOMAIN` if there is none. */
function answerTo(query: Buffer, known: Readonly<Record<string, readonly (readonly string[])[]>>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  const question = query.subarray(12, at + 5);
  const records = (known[labels.join('.')] ?? []).map((chunks) => {
    const data = Buffer.concat(chunks.map((text) => Buffer.from([text.length, ...Buffer.from(text)])));
    return Buffer.concat([Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length]), data]);
  });
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(records.length > 0 ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}
