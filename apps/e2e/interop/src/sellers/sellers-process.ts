import { answerQuestions } from '../child-calls.js';
import { openSales, type Answers, type SalesOptions } from './sales-agent.js';
import { openSignals } from './signals-agent.js';

/** Several agents made of the public SDK, in one process: to load the SDK takes seconds of the processor. */
const agents = new Map<string, Answers>();

interface Asked {
  readonly agentUrl: string;
  readonly question: string;
  readonly given?: unknown;
}

type Opened = Awaited<ReturnType<typeof openSales>>;

async function opened(opening: Promise<Opened>): Promise<unknown> {
  const { introduced, answers } = await opening;
  agents.set(String(introduced['agentUrl']), answers);
  return introduced;
}

answerQuestions({
  openSales: (options: SalesOptions) => opened(openSales(options)),
  openSignals: (options: { readonly token: string }) => opened(openSignals(options)),
  ask: ({ agentUrl, question, given }: Asked) => {
    const answer = agents.get(agentUrl)?.[question];
    if (answer === undefined) throw new Error(`no agent at ${agentUrl} answers ${question}`);
    return answer(given as never);
  },
});
