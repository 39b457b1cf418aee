import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { ReceivedCall } from './recording-seller.js';
import type { Script } from './recording-seller.js';

/** Answers one MCP POST. An unknown tool is a failed tool call, as at most servers. */
export async function answerMcpCall(
  request: IncomingMessage,
  response: ServerResponse,
  tools: readonly string[],
  hear: (call: ReceivedCall) => ReturnType<Script>,
): Promise<void> {
  const { id, method, params } = await bodyOf(request);
  if (id === undefined) return void response.writeHead(202).end();
  const say = (result: unknown): void =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') {
    const serverInfo = { name: 'recording', version: '1' };
    return say({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'tools/list')
    return say({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  const args = params?.['arguments'];
  const name = params?.['name'];
  const reported = hear({ tool: typeof name === 'string' ? name : '', args: isJsonObject(args) ? args : {} });
  if (reported === 'never') return;
  const payload = reported ?? {
    errors: [{ code: 'UNSUPPORTED_FEATURE', message: 'There is no such tool.' }],
  };
  say({
    content: [{ type: 'text', text: JSON.stringify(payload) }],
    structuredContent: payload,
    ...(reported === undefined ? { isError: true } : {}),
  });
}

interface RpcBody {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: JsonObject;
}

export async function bodyOf(request: IncomingMessage): Promise<RpcBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as RpcBody;
}
