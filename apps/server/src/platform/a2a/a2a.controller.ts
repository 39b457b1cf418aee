import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { latestForm, supportedVersions, taskTable } from '@switchyard/protocol';
import { sendAnswer, type HttpAnswer } from '../http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';
import { answerA2a } from './answer-a2a.js';
import { testControllerTool, testControllerWords } from '../tasks/call/test-controller.js';
import { headerValues } from '../http/raw-headers.js';
import { cardSchemes } from '../http/access/schemes.js';
import { taskListings } from '../tasks/listing/task-listing.js';

/** The protocol that the data parts speak. A client that does not know it may send text alone. */
const protocolExtension = {
  uri: 'https://adcontextprotocol.org/extensions/adcp/v3',
  description: 'The tasks of the advertising protocol, as data parts {skill, parameters}.',
  required: false,
  params: {
    adcp_version: latestForm,
    supported_versions: supportedVersions,
    protocols_supported: ['media_buy', 'signals'],
  },
};

const testControllerSkill = {
  id: testControllerTool,
  name: testControllerTool,
  description: testControllerWords,
  tags: ['credentials', 'mutation'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
};

/** A2A over JSON-RPC, both generations on one address, and the card that announces them. */
@Controller()
export class A2aController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  @Post('a2a')
  post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answerA2a(request, reply, this.http);
  }

  @Get(['.well-known/agent-card.json', 'a2a/.well-known/agent-card.json'])
  card(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendAnswer(reply, agentCard(request.raw.rawHeaders, this.http));
  }
}

/** The agent card of one generation, without members of the other: 1.0 for readers that request it, else 0.3. */
function agentCard(
  rawHeaders: readonly string[],
  http: Pick<HttpContext, 'url' | 'version' | 'schemes' | 'testController'>,
): HttpAnswer {
  const url = `${http.url()}/a2a`;
  const asksFor10 = headerValues(rawHeaders, 'a2a-version').some((version) => version.startsWith('1.'));
  const headers = { 'cache-control': 'public, max-age=60', vary: 'A2A-Version' };
  const schemes = cardSchemes(http.schemes);
  const common = {
    name: 'Switchyard',
    description: 'One agent in front of many sales and signals agents.',
    version: http.version,
    capabilities: { streaming: true, pushNotifications: true, extensions: [protocolExtension] },
    defaultInputModes: ['application/json', 'text/plain'],
    defaultOutputModes: ['application/json'],
    skills: http.testController === undefined ? skills() : [...skills(), testControllerSkill],
  };
  return { status: 200, headers, body: { ...common, ...(asksFor10 ? in10 : in03)(url, schemes) } };
}

function skills(): readonly object[] {
  return taskListings().map((task) => ({
    id: task.name,
    name: task.name,
    description: task.description,
    tags: [
      task.access === 'credentials' ? 'credentials' : 'public',
      task.readOnly ? 'read' : 'mutation',
      ...(task.release === undefined ? [] : [task.release]),
    ],
    inputModes: ['application/json', ...(task.name === taskTable.getProducts.name ? ['text/plain'] : [])],
    outputModes: ['application/json'],
  }));
}

function in10(url: string, schemes: ReturnType<typeof cardSchemes>): object {
  return {
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    securitySchemes: Object.fromEntries(schemes.map(({ name, v10 }) => [name, v10])),
    securityRequirements: schemes.map(({ name }) => ({ schemes: { [name]: { list: [] } } })),
  };
}

function in03(url: string, schemes: ReturnType<typeof cardSchemes>): object {
  return {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    securitySchemes: Object.fromEntries(schemes.map(({ name, v03 }) => [name, v03])),
    security: schemes.map(({ name }) => ({ [name]: [] })),
  };
}
