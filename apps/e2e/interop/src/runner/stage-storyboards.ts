import { startSwitchyard, type RunningSwitchyard } from '../platform/start-switchyard.js';
import { runTestController, seedLiterals } from './seed-literals.js';
import { startRunner, type Graded, type GradedStep, type Runner } from './start-runner.js';
import { notDispatched, notOffered, storyboards, type Expected } from './storyboard-table.js';

/** Our product with the sandbox market, and the runner. */
export interface Stage {
  readonly switchyard: RunningSwitchyard;
  readonly runner: Runner;
  /** The runner with storyboards that are corrected so that they do not end early. */
  corrected(): Runner;
  /** Creates a principal: keys are literal in storyboards, and belong to the principal that used them first. */
  principalFor(storyboard: string): Promise<string>;
  /** Runs one storyboard as a new caller, after seeding what the storyboard assumes. */
  graded(storyboard: string, protocol: 'mcp' | 'a2a', by?: Runner): Promise<Graded>;
  close(): Promise<void>;
}

/** `small`: without the agents whose faults take time; `default`: the market of `npm start`. */
export async function openStage(market: 'small' | 'default' = 'small'): Promise<Stage> {
  const chosen = market === 'small' ? ['--market', 'prompt,courier,behind,signals-prompt'] : [];
  const switchyard = await startSwitchyard(...chosen);
  // Storyboards send creatives with the same ids one after the other: they share one library, also in buys.
  const shared = ['--allow', 'creatives:read,creatives:write,creatives:delete,media_buys:write'];
  const role = await switchyard.command('roles', 'set', 'librarian', ...shared);
  if (role.exitCode !== 0) throw new Error(role.stderr);
  const runner = startRunner(switchyard.folder);
  const { mcp_url, a2a_url, url, token: operator } = switchyard.access;
  let principals = 0;
  /** The principal may register legacy callbacks, which some storyboards do. */
  const principalFor = async (storyboard: string): Promise<string> => {
    const name = `${storyboard.replaceAll(/[_/]/g, '-')}-${(principals += 1)}`;
    const made = await fetch(`${url}/v1/principals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ name, kind: 'buyer', scheme: 'bearer', legacy: true },
        grants: [{ role: 'librarian', scope: 'organization' }],
      }),
    });
    if (!made.ok) throw new Error(await made.text());
    return ((await made.json()) as { readonly token: string }).token;
  };
  return {
    switchyard,
    runner,
    corrected: () => runner.corrected(),
    principalFor,
    graded: async (storyboard, protocol, by = runner) => {
      const token = await principalFor(storyboard);
      // These count the creatives or formats of the library, so nothing is seeded for them.
      const refused = storyboard.startsWith('pagination_') ? [] : await seedLiterals(mcp_url, token);
      for (let nth = 1; nth <= (storyboards[storyboard]?.takenIn ?? 0); nth += 1) {
        const forced = { arm: 'submitted', task_id: `${storyboard}_${nth}` };
        const reported = await runTestController(mcp_url, token, 'force_create_media_buy_arm', forced);
        if (reported['success'] !== true) throw new Error(JSON.stringify(reported));
      }
      if (refused.length > 0) throw new Error(refused.join('\n'));
      return by.run({ url: protocol === 'a2a' ? a2a_url : mcp_url, token, storyboard, protocol });
    },
    close: async () => {
      await Promise.all([runner.stop(), switchyard.remove()]);
    },
  };
}

/** True if a step was skipped for a task not offered, an assertion not dispatched, or an earlier skipped step. */
export function isExplained({ step, task, reason }: GradedStep, { skips = {} }: Expected): boolean {
  if (step in skips || /prior stateful step|prerequisite_failed/.test(reason)) return true;
  return task !== undefined && (task in notOffered || notDispatched.some((text) => text === task));
}
