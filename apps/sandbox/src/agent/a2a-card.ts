import type { AgentCard } from '@a2a-js/sdk';
import type { Agent } from './agent.js';
import type { JsonObject } from '../json.js';
import type { Tool } from './tool.js';

const version = '1.0.0';
const modes = ['application/json'];

/** The card in the form of the SDK's request handlers. */
export function cardOf(agent: Agent, tools: readonly Tool[]): AgentCard {
  const { name, character } = agent.personality;
  const interfaceOf = (protocolVersion: string) => ({
    url: agent.agentUrl,
    protocolBinding: 'JSONRPC',
    tenant: '',
    protocolVersion,
  });
  return {
    name,
    description: `${name}: ${character}.`,
    supportedInterfaces: [interfaceOf('1.0'), interfaceOf('0.3')],
    provider: undefined,
    version,
    capabilities: { streaming: false, pushNotifications: true, extensions: [], extendedAgentCard: false },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    signatures: [],
    skills: tools.map((tool) => ({
      ...skillOf(tool),
      examples: [],
      inputModes: modes,
      outputModes: modes,
      securityRequirements: [],
    })),
  };
}

/** The card on the wire, for readers of release 1.0 and of 0.3, which has other names for the same members. */
export function cardJson(agent: Agent, tools: readonly Tool[], legacy: boolean): JsonObject {
  const { name, character } = agent.personality;
  const shared: JsonObject = {
    name,
    description: `${name}: ${character}.`,
    version,
    capabilities: { streaming: false, pushNotifications: true },
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: tools.map(skillOf),
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url: agent.agentUrl,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
  };
  if (!legacy) {
    return {
      ...shared,
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    };
  }
  return {
    ...shared,
    protocolVersion: '0.3.0',
    url: agent.agentUrl,
    preferredTransport: 'JSONRPC',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    security: [{ bearer: [] }],
  };
}

function skillOf(tool: Tool): { id: string; name: string; description: string; tags: string[] } {
  return { id: tool.name, name: tool.name, description: tool.description, tags: ['advertising'] };
}
