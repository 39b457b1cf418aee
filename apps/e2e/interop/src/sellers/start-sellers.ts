import { startChild, type Child } from '../child-calls.js';
import type { EmitResult, Json } from '../sdk/load-sdk-server.js';
import type { ReportWish } from './report.js';
import type { BookedBuy } from './sales-books.js';
import type { SalesOptions } from './sales-process.js';

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

async function open(module: string, options: object): Promise<{ child: Child; introduced: Introduced }> {
  const child = startChild(module, asInDevelopment);
  try {
    return { child, introduced: await child.request<Introduced>('open', options) };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

export async function startSeller(options: SalesOptions): Promise<ThirdPartySeller> {
  const { child, introduced } = await open('sellers/sales-process.js', options);
  return {
    ...introduced,
    token: options.token,
    store: () => child.request<SalesStore>('books'),
    repeatCreate: () => child.request('repeatCreate'),
    report: (wish) => child.request<EmitResult>('report', wish),
    release: async () => {
      await child.request('release');
    },
    stop: () => child.stop(),
  };
}

export interface ThirdPartySignals {
  readonly agentUrl: string;
  readonly token: string;
  activations(): Promise<readonly Json[]>;
  stop(): Promise<void>;
}

export async function startSignals(token: string): Promise<ThirdPartySignals> {
  const { child, introduced } = await open('sellers/signals-process.js', { token });
  return {
    agentUrl: introduced.agentUrl,
    token,
    activations: async () => (await child.request<{ activations: readonly Json[] }>('books')).activations,
    stop: () => child.stop(),
  };
}
