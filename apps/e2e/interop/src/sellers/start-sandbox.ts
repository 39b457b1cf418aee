import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface SandboxSeller {
  readonly slug: string;
  readonly agent_url: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly token: string;
}

export interface RunningSandbox {
  readonly sellers: readonly SandboxSeller[];
  end(): void;
}

const program = fileURLToPath(new URL('../../../../sandbox/dist/main.js', import.meta.url));

/** Starts sellers of the sandbox market by themselves, without Switchyard. A day of a campaign lasts a minute. */
export async function startSandbox(folder: string, slugs: readonly string[]): Promise<RunningSandbox> {
  const options = ['--port', '0', '--data', folder, '--seed', 'practice', '--day-ms', '60000'];
  const child = spawn(process.execPath, [program, ...options, '--agents', slugs.join(',')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const { agents } = JSON.parse(line) as { readonly agents: readonly SandboxSeller[] };
    return { sellers: agents, end: () => void child.kill() };
  }
  throw new Error('The sandbox market ended before it had started.');
}
