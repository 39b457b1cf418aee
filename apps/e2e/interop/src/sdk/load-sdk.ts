/**
 * The part of the public SDK that these tests use, in our own words. Its declarations are megabytes that the compiler
 * would have to read in every check; so it is loaded by a name that the compiler does not follow, and typed here.
 */
export interface SdkTaskResult {
  readonly success: boolean;
  readonly status: string;
  readonly data?: Record<string, unknown>;
  readonly error?: string;
  readonly adcpError?: { readonly code?: string; readonly message?: string };
  readonly metadata?: { readonly idempotency_key?: string };
}

export interface SdkAgentConfig {
  readonly id: string;
  readonly name: string;
  readonly agent_uri: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly auth_token: string;
}

export interface SdkMultiAgentClient {
  /** One method per task of the protocol, named in camel case. */
  agent(id: string): Readonly<Record<string, (params: unknown) => Promise<SdkTaskResult>>>;
  agents(ids: readonly string[]): {
    getProducts(params: unknown): Promise<SdkTaskResult[]>;
  };
}

export interface Sdk {
  readonly ADCPMultiAgentClient: new (
    agents: readonly SdkAgentConfig[],
    config: { readonly validation: { readonly requests: 'strict'; readonly responses: 'strict' } },
  ) => SdkMultiAgentClient;
}

const sdkName = ['@adcp', 'sdk'].join('/');

export async function loadSdk(): Promise<Sdk> {
  return (await import(sdkName)) as Sdk;
}
