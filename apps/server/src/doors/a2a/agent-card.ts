import { rehearsalTool, rehearsalWords } from '../../application/rehearsal.js';
import type { DoorAnswer } from '../door-answer.js';
import type { DoorsContext } from '../doors-context.js';
import { headerValues } from '../raw-headers.js';
import { cardSchemes } from '../schemes.js';
import { taskListings } from '../task-listing.js';

/**
 * The agent card. A reader that says it speaks 1.0 gets a card of 1.0 alone; any other gets one that both
 * generations can read, because the members in which they differ have different names.
 */
export function agentCard(
  rawHeaders: readonly string[],
  doors: Pick<DoorsContext, 'url' | 'version' | 'schemes' | 'rehearsal'>,
): DoorAnswer {
  const url = `${doors.url()}/a2a`;
  const asksFor10 = headerValues(rawHeaders, 'a2a-version').some((version) => version.startsWith('1.'));
  const headers = { 'cache-control': 'public, max-age=60', vary: 'A2A-Version' };
  const schemes = cardSchemes(doors.schemes);
  const young = card10(url, doors.version, schemes, doors.rehearsal !== undefined);
  const body = asksFor10 ? young : { ...young, ...card03(url, schemes) };
  return { status: 200, headers, body };
}

function card10(
  url: string,
  version: string,
  schemes: ReturnType<typeof cardSchemes>,
  rehearses: boolean,
): object {
  return {
    name: 'Switchyard',
    description: 'One agent in front of many sales and signals agents.',
    version,
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: false, pushNotifications: true },
    securitySchemes: Object.fromEntries(schemes.map(({ name, v10 }) => [name, v10])),
    securityRequirements: schemes.map(({ name }) => ({ schemes: { [name]: { list: [] } } })),
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: rehearses ? [...skills(), rehearsalSkill] : skills(),
  };
}

function card03(url: string, schemes: ReturnType<typeof cardSchemes>): object {
  return {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    // Both wordings in one object: the members in which the generations differ have different names.
    securitySchemes: Object.fromEntries(schemes.map(({ name, v03, v10 }) => [name, { ...v03, ...v10 }])),
    security: schemes.map(({ name }) => ({ [name]: [] })),
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

const rehearsalSkill = {
  id: rehearsalTool,
  name: rehearsalTool,
  description: rehearsalWords,
  tags: ['credentials', 'mutation'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
};
