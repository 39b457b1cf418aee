import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';

/** Faulty answers of a seller, by the name of the called tool. */
export const faults: Readonly<Record<string, (response: ServerResponse, id: unknown) => void>> = {
  http_500: (response) => {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('boom');
  },
  http_429: (response) => {
    response.writeHead(429, { 'retry-after': '7' }).end();
  },
  hang: () => undefined,
  garbage: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc": "2.0", "id": ');
  },
  wrong_id: (response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"jsonrpc":"2.0","id":"somebody-else","result":{}}');
  },
  html: (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>It works!</h1>');
  },
  huge: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"x":"${'x'.repeat(400_000)}"}`);
  },
  deep: (response, id) => {
    const ext = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
    const answer = `{"products":[],"ext":${ext}}`;
    const parts = `"parts":[{"kind":"data","data":${answer}}]`;
    const result = `{"structuredContent":${answer},"content":[],"kind":"message","messageId":"m","role":"agent",${parts}}`;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  },
  reset: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"jsonrpc":', () => response.socket?.resetAndDestroy());
  },
  odd_part: (response, id) => {
    const result = { content: [{ type: 'hologram' }], structuredContent: { said: 'beside an odd part' } };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  },
  both: (response, id) => {
    const error = { code: -32603, message: 'and an error' };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result: { structuredContent: {}, content: [] }, error }));
  },
  odd_code: (response, id) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1e300, message: { not: 'a text' } } }));
  },
  more_members: (response, id) => {
    const result = { structuredContent: { said: 'with more members' }, content: [] };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result, error: null, took_ms: 4 }));
  },
  redirect: (response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
  },
  redirect_after: (response) => {
    response.writeHead(303, { location: 'http://127.0.0.1:1/elsewhere' }).end();
  },
};

/** Reverses a header, so that a test can recognise it and no answer contains it. */
export function backwards(authorization: string): string {
  return Buffer.from(authorization, 'latin1').reverse().toString('latin1');
}

/** The normal answers of a seller, by the name of the tool; the same on both protocols. */
export function answerOf(tool: string, args: unknown, authorization: string | undefined) {
  switch (tool) {
    case 'echo':
      return { args, backwards: backwards(authorization ?? '') };
    case 'blab':
      return { notes: [{ [`seen ${authorization ?? ''}`]: `You are ${authorization ?? ''}.` }] };
    case 'refuse':
      return { adcp_error: { code: 'PRODUCT_NOT_FOUND', message: 'no such product' } };
    default:
      return undefined;
  }
}
