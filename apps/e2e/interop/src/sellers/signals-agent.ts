import { loadSdkHandlerServer, loadSdkServer, type Json } from '../sdk/load-sdk-server.js';
import { signals } from './catalogue.js';
import type { Answers } from './sales-agent.js';

/** A signals agent on the SDK's older server interface, a set of handlers. */
const sdk = await loadSdkServer();
const { createAdcpServer } = await loadSdkHandlerServer();

interface Destination {
  readonly type: 'platform' | 'agent';
}

/** Opens a signals agent, with data of its own. */
export async function openSignals({
  token,
}: {
  readonly token: string;
}): Promise<{ introduced: Json; answers: Answers }> {
  const activations: Json[] = [];
  const idempotency = sdk.createIdempotencyStore({ backend: sdk.memoryBackend(), ttlSeconds: 86_400 });
  const url = await new Promise<string>((resolve) => {
    sdk.serve(
      ({ taskStore }) =>
        createAdcpServer({
          name: 'insights',
          version: '1.0.0',
          taskStore,
          idempotency,
          resolveSessionKey: () => 'house',
          signals: {
            getSignals: () => Promise.resolve({ signals }),
            activateSignal: (request: Json & { destinations: readonly Destination[] }) => {
              activations.push(request);
              const deployments = request.destinations.map((destination) => ({
                ...destination,
                is_live: true,
                deployed_at: new Date().toISOString(),
                activation_key: { type: 'segment_id', segment_id: `seat_${activations.length}` },
              }));
              return Promise.resolve({ deployments });
            },
          },
        }),
      {
        port: 0,
        authenticate: sdk.verifyApiKey({ keys: { [token]: { principal: 'the-relay' } } }),
        onListening: resolve,
      },
    );
  });
  return {
    introduced: { agentUrl: url.replace('localhost', '127.0.0.1') },
    answers: { books: () => ({ activations }) },
  };
}
