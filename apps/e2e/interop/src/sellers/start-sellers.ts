import { startChild, type Child } from '../child-calls.js';
import type { EmitResult, Json } from '../sdk/load-sdk-server.js';
import type { ReportWish } from './report.js';
import type { BookedBuy } from './sales-books.js';
import type { SalesOptions } from './sales-agent.js';

interface Introduced {
  readonly agentUrl: string;
  readonly jwksUri: string;
  readonly brandJsonUrl: string;
}

/** A webhook about a task, as the SDK reports its delivery. */
interface TaskWebhook {
  readonly taskId: string;
  readonly url: string;
  readonly status: string;
  readonly success: boolean;
}

export interface SalesStore {
  readonly buys: readonly BookedBuy[];
  /** Accepted updates of buys, and feedback. */
  readonly changes: readonly Json[];
  readonly feedback: readonly Json[];
  /** Received create requests, including repeated ones. */
  readonly createCalls: number;
  /** Their exact bytes. */
  readonly createBodies: readonly string[];
  readonly taskWebhooks: readonly TaskWebhook[];
}

export interface ThirdPartySeller extends Introduced {
  readonly token: string;
  store(): Promise<SalesStore>;
  /** Sends it the bytes of the last create request again. */
  repeatCreate(): Promise<{ readonly result: { readonly structuredContent: Json } }>;
  report(wish: ReportWish): Promise<EmitResult>;
  /** Its person approves the buy. */
  release(): Promise<void>;
  stop(): Promise<void>;
}

/** The SDK's guard against incomplete setups lets test servers keep state in memory and call http URLs. */
const asInDevelopment = { NODE_ENV: 'test' };

/** The process of all open agents of this test process. It ends with the last of them. */
let shared: { readonly child: Child; agents: number } | undefined;

interface Opened {
  readonly introduced: Introduced;
  readonly ask: <T>(question: string, given?: unknown) => Promise<T>;
  readonly stop: () => Promise<void>;
}

async function open(request: 'openSales' | 'openSignals', options: object): Promise<Opened> {
  shared ??= { child: startChild('sellers/sellers-process.js', asInDevelopment), agents: 0 };
  const ours = shared;
  ours.agents += 1;
  const { child } = ours;
  const stop = async (): Promise<void> => {
    ours.agents -= 1;
    if (ours.agents > 0) return;
    shared = undefined;
    await child.stop();
  };
  try {
    const introduced = await child.request<Introduced>(request, options);
    const { agentUrl } = introduced;
    return {
      introduced,
      ask: <T>(question: string, given?: unknown) => child.request<T>('ask', { agentUrl, question, given }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function startSeller(options: SalesOptions): Promise<ThirdPartySeller> {
  const { introduced, ask, stop } = await open('openSales', options);
  return {
    ...introduced,
    token: options.token,
    store: () => ask<SalesStore>('books'),
    repeatCreate: () => ask('repeatCreate'),
    report: (wish) => ask<EmitResult>('report', wish),
    release: () => ask('release'),
    stop,
  };
}

export interface ThirdPartySignals {
  readonly agentUrl: string;
  readonly token: string;
  activations(): Promise<readonly Json[]>;
  stop(): Promise<void>;
}

export async function startSignals(token: string): Promise<ThirdPartySignals> {
  const { introduced, ask, stop } = await open('openSignals', { token });
  return {
    agentUrl: introduced.agentUrl,
    token,
    activations: async () => (await ask<{ activations: readonly Json[] }>('books')).activations,
    stop,
  };
}
