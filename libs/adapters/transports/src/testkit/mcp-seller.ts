import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { answerOf, faults } from './faults.js';
import {
  refuseCredential,
  startDouble,
  type Admit,
  type Handle,
  type SellerDouble,
} from './seller-double.js';

interface McpSellerOptions {
  /** True: sessions, as a server with state has. False: one transport per request. */
  readonly sessions: boolean;
  /** Answers as an event stream instead of JSON. */
  readonly streams: boolean;
  readonly admit?: Admit;
}

/** A seller made with the server side of the MCP SDK. It accepts any bearer token that starts with `token-`. */
export function startMcpSeller(options: McpSellerOptions): Promise<SellerDouble> {
  return startDouble('/mcp', () => handler(options), toolIn, options.admit);
}

function handler(options: McpSellerOptions): Handle {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return async (request, response, body) => {
    const { authorization } = request.headers;
    if (authorization?.startsWith('Bearer token-') !== true) {
      refuseCredential(response);
      return;
    }
    const fault = faults[toolIn(body) ?? ''];
    if (fault !== undefined) {
      fault(response, body?.['id']);
      return;
    }
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    if (typeof id === 'string' && known === undefined) {
      response.writeHead(404).end('no such session');
      return;
    }
    const transport = known ?? (await connected(options, transports));
    await transport.handleRequest(request, response, body);
  };
}

async function connected(
  options: McpSellerOptions,
  transports: Map<string, StreamableHTTPServerTransport>,
): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    ...(options.sessions
      ? {
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (id: string) => void transports.set(id, transport),
          onsessionclosed: (id: string) => void transports.delete(id),
        }
      : {}),
    enableJsonResponse: !options.streams,
  });
  // oxlint-disable-next-line typescript/no-deprecated -- the low-level server answers with whatever it is told to
  const server = new Server({ name: 'seller', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      {
        name: 'echo',
        inputSchema: { type: 'object' as const, properties: { brief: { type: 'string' } } },
        // A schema that makes a compiler throw: a client must never compile a seller's schema.
        outputSchema: { type: 'object' as const, properties: { args: { pattern: '(((' } } },
      },
      { name: 'refuse', inputSchema: { type: 'object' as const } },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, (request, extra) => {
    const { name, arguments: args } = request.params;
    const authorization = extra.requestInfo?.headers['authorization'];
    return result(name, args, typeof authorization === 'string' ? authorization : undefined);
  });
  await server.connect(transport);
  return transport;
}

function result(name: string, args: unknown, authorization: string | undefined) {
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  switch (name) {
    case 'in_text':
      return text('{"said": "in text"}');
    case 'in_fence':
      return text('Here you are:\n```json\n{"said": "in a fence"}\n```\nAnything else?');
    case 'prose':
      return text('I would rather not.');
    case 'prose_error':
      return { ...text('I would rather not.'), isError: true };
    case 'blab_error':
      return { ...text(`${'x'.repeat(490)} ${authorization ?? ''}`), isError: true };
    case 'blab_data':
      throw Object.assign(new Error('no'), { code: -32050, data: { error: `As ${authorization ?? ''}?` } });
    case 'rpc_error':
      throw Object.assign(new Error('no'), { code: -32050, data: { adcp_error: { code: 'RATE_LIMITED' } } });
    case 'rpc_unknown':
      throw Object.assign(new Error('no such method'), { code: -32601 });
    default: {
      const structuredContent = answerOf(name, args, authorization);
      return { content: [], structuredContent, isError: name === 'refuse' };
    }
  }
}

function toolIn(body: Record<string, unknown> | undefined): string | undefined {
  if (body?.['method'] !== 'tools/call') return undefined;
  return (body['params'] as { name?: string } | undefined)?.name;
}
