import type { DoorAnswer } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { headerValues } from '../raw-headers.js';
import { taskListings } from '../task-listing.js';

/**
 * The agent card. A reader that says it speaks 1.0 gets a card of 1.0 alone; any other gets one that both
 * generations can read, because the members in which they differ have different names.
 */
export function agentCard(
  rawHeaders: readonly string[],
  doors: Pick<DoorsContext, 'url' | 'version'>,
): DoorAnswer {
  const url = `${doors.url()}/a2a`;
  const asksFor10 = headerValues(rawHeaders, 'a2a-version').some((version) => version.startsWith('1.'));
  const headers = { 'cache-control': 'public, max-age=60', vary: 'A2A-Version' };
  const body = asksFor10 ? card10(url, doors.version) : { ...card10(url, doors.version), ...card03(url) };
  return { status: 200, headers, body };
}

function card10(url: string, version: string): object {
  return {
    name: 'Switchyard',
    description: 'One agent in front of many sales and signals agents.',
    version,
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: false, pushNotifications: false },
    securitySchemes: { bearerAuth: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearerAuth: { list: [] } } }],
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: skills(),
  };
}

function card03(url: string): object {
  return {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    securitySchemes: {
      bearerAuth: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } },
    },
    security: [{ bearerAuth: [] }],
  };
}

function skills(): readonly object[] {
  return taskListings().map((task) => ({
    id: task.name,
    name: task.name,
    description: task.description,
    tags: [task.access === 'credentials' ? 'credentials' : 'public', task.readOnly ? 'read' : 'mutation'],
    inputModes: ['application/json'],
    outputModes: ['application/json'],
  }));
}
