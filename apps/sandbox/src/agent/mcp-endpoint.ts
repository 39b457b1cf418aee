import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type Tool as McpTool,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyInstance } from 'fastify';
import { sendUnauthorized, type Door } from './admit.js';
import type { Agent } from './agent.js';
import { isObject, objectOf, textOf, type Json, type JsonObject } from '../json.js';
import { receiveCall, type Received } from './receive-call.js';
import type { Tool } from './tool.js';

/**
 * `/mcp`: streamable HTTP without sessions, with a server and a transport per request.
 *
 * A call is received before the SDK gets it, because an HTTP 500, a 401 and silence are not answers of its protocol.
 */
export function openMcpEndpoint(
  app: FastifyInstance,
  agent: Agent,
  tools: readonly Tool[],
  door: Door,
): void {
  const listed = tools.map(asListed);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  app.post('/mcp', async (request, reply) => {
    const caller = await door.callerOf(request);
    if (!caller) return sendUnauthorized(reply, 'AUTH_INVALID', door);
    const call = toolCallOf(request.body);
    const tool = call ? byName.get(call.name) : undefined;
    if (tool?.access === 'credentials' && caller === 'public')
      return sendUnauthorized(reply, 'AUTH_REQUIRED', door);
    const received = call && tool ? await receiveCall(agent, { tool, args: call.args, caller }) : undefined;
    if (received?.kind === 'fail') return reply.code(500).send({ error: 'something broke' });
    reply.hijack();
    if (received?.kind === 'lose') reply.raw.destroy();
    if (received?.kind === 'hang' || received?.kind === 'lose') return undefined;
    const server = serverOf(agent, listed, received);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    reply.raw.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request.raw, reply.raw, request.body);
    return undefined;
  });
  app.get('/mcp', (_request, reply) => reply.code(405).header('allow', 'POST').send());
  app.delete('/mcp', (_request, reply) => reply.code(405).header('allow', 'POST').send());
}

function serverOf(agent: Agent, tools: McpTool[], received: Received | undefined): McpServer {
  const endpoint = new McpServer(
    { name: agent.personality.name, version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  // The inner server takes a fixed list of tools; the outer one would compile every schema again per request.
  const { server } = endpoint;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, (request): CallToolResult => {
    if (!received)
      return { isError: true, content: [{ type: 'text', text: `no tool ${request.params.name}` }] };
    return resultOf(received);
  });
  return endpoint;
}

function resultOf(received: Received): CallToolResult {
  if (received.kind === 'text') return { content: [{ type: 'text', text: received.text }] };
  if (received.kind !== 'answer') throw new Error('nothing to answer');
  const { status, body } = received.answer;
  return {
    content: [{ type: 'text', text: JSON.stringify(body) }],
    structuredContent: body,
    ...(status === 'failed' ? { isError: true } : {}),
  };
}

function toolCallOf(body: unknown): { readonly name: string; readonly args: JsonObject } | undefined {
  if (!isObject(body) || body['method'] !== 'tools/call' || !isObject(body['params'])) return undefined;
  const params: Readonly<Record<string, Json>> = body['params'];
  const name = textOf(params['name']);
  return name === undefined ? undefined : { name, args: objectOf(params['arguments']) ?? {} };
}

function asListed(tool: Tool): McpTool {
  const inputSchema = { ...tool.inputSchema, type: 'object' as const };
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema,
  };
}
