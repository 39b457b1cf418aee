import { answerQuestions } from '../child-calls.js';
import {
  loadSdk,
  type SdkAgentConfig,
  type SdkMultiAgentClient,
  type SdkTaskResult,
} from '../sdk/load-sdk.js';

/** The public SDK's multi-agent client, in its own process, which executes the requests of the test. */
const sdk = await loadSdk();
let client: SdkMultiAgentClient | undefined;

interface Call {
  readonly agent: string;
  readonly method: string;
  readonly params: unknown;
}

function connected(): SdkMultiAgentClient {
  if (client === undefined) throw new Error('connect first');
  return client;
}

/** Omits its copies of requests and answers, which would only fill the pipe. */
const received = ({ success, status, data, error, adcpError, metadata }: SdkTaskResult): unknown => ({
  success,
  status,
  data,
  error,
  adcpError,
  metadata,
});

answerQuestions({
  connect: (agents: readonly SdkAgentConfig[]) => {
    client = new sdk.ADCPMultiAgentClient(agents, {
      validation: { requests: 'strict', responses: 'strict' },
    });
  },
  call: async ({ agent, method, params }: Call) => {
    const client = connected().agent(agent);
    if (typeof client[method] !== 'function') throw new Error(`its client has no ${method}`);
    return received(await client[method](params));
  },
  methods: () => {
    const agent: object = connected().agent('mcp');
    const names = [agent, Object.getPrototypeOf(agent) as object].flatMap((level) =>
      Object.getOwnPropertyNames(level),
    );
    return names.filter((name) => name !== 'constructor');
  },
  productsOfAll: async ({ agents, params }: { agents: readonly string[]; params: unknown }) =>
    (await connected().agents(agents).getProducts(params)).map(received),
});
