import { startChild } from '../child-calls.js';
import type { Access } from '../platform/start-switchyard.js';
import type { SdkAgentConfig, SdkTaskResult } from '../sdk/load-sdk.js';

/** A buyer made of the public SDK only: it knows our URLs and a token, and nothing else of this product. */
export interface Buyer {
  call(endpoint: 'mcp' | 'a2a', method: string, params: unknown): Promise<SdkTaskResult>;
  /** Sends one request to both endpoints at once, as its multi-agent client queries many agents. */
  productsOfBothEndpoints(params: unknown): Promise<readonly SdkTaskResult[]>;
  /** The methods that its client has for one agent. */
  methods(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startBuyer(access: Access): Promise<Buyer> {
  const child = startChild('buyer/buyer-process.js');
  const agents: readonly SdkAgentConfig[] = [
    { id: 'mcp', name: 'Over MCP', agent_uri: access.mcp_url, protocol: 'mcp', auth_token: access.token },
    { id: 'a2a', name: 'Over A2A', agent_uri: access.a2a_url, protocol: 'a2a', auth_token: access.token },
  ];
  await child.request('connect', agents);
  return {
    call: (agent, method, params) => child.request<SdkTaskResult>('call', { agent, method, params }),
    productsOfBothEndpoints: (params) =>
      child.request<SdkTaskResult[]>('productsOfAll', { agents: agents.map(({ id }) => id), params }),
    methods: () => child.request<readonly string[]>('methods'),
    stop: () => child.stop(),
  };
}
