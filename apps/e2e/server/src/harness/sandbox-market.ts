import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Market } from './market.js';
import { admin } from './own-everything.js';
import { childEnvironment, repositoryRoot } from './run-switchyard.js';

/** A sandbox market in a process of the test, which outlives a killed server. */
export interface SandboxMarket {
  readonly market: Market;
  /** Its agents in the form of an import, each with the credential that it requires. */
  readonly agents: readonly Introduced[];
  /** Onboards its agents at a running instance. */
  onboardAt(to: { readonly url: string; readonly token: string }): Promise<void>;
  stop(): Promise<void>;
}

interface Introduced {
  readonly slug: string;
  readonly agent_url: string;
  readonly protocol: string;
  readonly dialect: string;
  readonly token: string;
}

/**
 * Starts the agents with these slugs, including agents that are off by default. A campaign day takes one hour unless
 * `dayMs` says otherwise. `scale` multiplies what they take to answer and to approve.
 */
export async function sandboxMarket(
  data: string,
  agents: readonly string[],
  { scale = 1, seed = 'crash', dayMs = 3_600_000 } = {},
): Promise<SandboxMarket> {
  const script = join(repositoryRoot, 'apps/sandbox/bundle/main.js');
  const fixed = { port: '0', data, seed, 'day-ms': String(dayMs), scale: String(scale) };
  const options = { ...fixed, agents: agents.join(',') };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [script, ...args], {
    env: childEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, agents: introduced } = JSON.parse(line) as { url: string; agents: readonly Introduced[] };
    const rows = introduced.map(({ slug, agent_url, protocol, dialect, token }) => ({
      slug,
      agent_url,
      protocol,
      dialect,
      token,
    }));
    return {
      market: new Market(url),
      agents: rows,
      onboardAt: async (to) => {
        await admin(to, 'POST', '/v1/sellers/import', rows);
      },
      stop: () => {
        child.stdin.end();
        return ended;
      },
    };
  }
  throw new Error('The sandbox market ended before it began.');
}
