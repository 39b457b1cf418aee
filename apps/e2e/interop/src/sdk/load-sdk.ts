/**
 * The part of the public SDK that these tests use, with our own types. The SDK's declarations are megabytes that every
 * type check would read; so the compiler cannot resolve the name it is loaded by.
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
  /** One method for each task of the protocol, in camel case. */
  agent(id: string): Readonly<Record<string, (params: unknown) => Promise<SdkTaskResult>>>;
  agents(ids: readonly string[]): {
    getProducts(params: unknown): Promise<SdkTaskResult[]>;
  };
}

interface Sdk {
  readonly ADCPMultiAgentClient: new (
    agents: readonly SdkAgentConfig[],
    config: { readonly validation: { readonly requests: 'strict'; readonly responses: 'strict' } },
  ) => SdkMultiAgentClient;
}

const sdkName = ['@adcp', 'sdk'].join('/');

export async function loadSdk(): Promise<Sdk> {
  return (await import(sdkName)) as Sdk;
}
