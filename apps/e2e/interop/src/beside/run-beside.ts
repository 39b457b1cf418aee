import { startSwitchyard } from '../platform/start-switchyard.js';
import { seedLiterals, runTestController } from '../runner/seed-literals.js';
import { startRunner, type Graded, type Runner } from '../runner/start-runner.js';
import { storyboards } from '../runner/storyboard-table.js';
import { startExample, type Example } from './start-example.js';

/**
 * `npm run interop:beside [storyboard ...]`: runs the public SDK's runner against our MCP endpoint and the SDK's own
 * example agents, with the same storyboards and fresh data for each agent. Prints the table of docs/protocol/peers.md.
 * A step that also fails at the examples is a fault of the runner or the storyboard. It takes minutes, so the checks
 * omit it.
 */
const sales: readonly Example[] = [
  {
    name: 'non-guaranteed',
    file: 'hello_seller_adapter_non_guaranteed.ts',
    upstream: 'sales-non-guaranteed',
  },
  { name: 'guaranteed', file: 'hello_seller_adapter_guaranteed.ts', upstream: 'sales-guaranteed' },
  { name: 'error-compliant', file: 'error-compliant-server.ts', port: 3456 },
];
const signals: readonly Example[] = [
  { name: 'marketplace', file: 'hello_signals_adapter_marketplace.ts', upstream: 'signal-marketplace' },
  { name: 'signals-agent', file: 'signals-agent.ts', port: 3001 },
];

const requested = process.argv.slice(2);
const wanted =
  requested.length > 0 ? requested : Object.keys(storyboards).filter((name) => storyboards[name]?.examples);

const switchyard = await startSwitchyard('--market', 'prompt,courier,behind,signals-prompt');
const runner = startRunner(switchyard.folder);
try {
  console.log('| Storyboard | Ours | Its examples |\n| --- | --- | --- |');
  for (const storyboard of wanted) {
    const ours = await atOurs(storyboard);
    const theirs: string[] = [];
    for (const example of storyboard.startsWith('signal') ? signals : sales)
      theirs.push(`${example.name} ${await atExample(example, storyboard, runner)}`);
    console.log(`| \`${storyboard}\` | ${sumOf(ours)} | ${theirs.join(', ')} |`);
    for (const { step, reason } of ours.failures) console.log(`  ours: ${step}: ${reason.slice(0, 300)}`);
  }
} finally {
  await Promise.all([runner.stop(), switchyard.remove()]);
}

async function atOurs(storyboard: string): Promise<Graded> {
  const name = storyboard.replaceAll(/[_/]/g, '-');
  const made = await switchyard.command('principals', 'add', name, '--kind', 'buyer', '--legacy');
  if (made.exitCode !== 0) throw new Error(made.stderr);
  const { token } = made.json as { readonly token: string };
  const { mcp_url: url } = switchyard.access;
  const refused = await seedLiterals(url, token);
  if (refused.length > 0) throw new Error(refused.join('\n'));
  for (let nth = 1; nth <= (storyboards[storyboard]?.takenIn ?? 0); nth += 1)
    await runTestController(url, token, 'force_create_media_buy_arm', {
      arm: 'submitted',
      task_id: `${name}_${nth}`,
    });
  return runner.run({ url, token, storyboard, protocol: 'mcp' });
}

/** If an example does not start, or the runner fails, the result is that error. */
async function atExample(example: Example, storyboard: string, by: Runner): Promise<string> {
  const running = await startExample(example).catch(() => undefined);
  if (running === undefined) return 'did not start';
  try {
    const { url, token } = running;
    await seedLiterals(url, token).catch(() => []);
    return sumOf(await by.run({ url, token, storyboard, protocol: 'mcp' }));
  } catch (error) {
    return `broke off (${error instanceof Error ? error.message.slice(0, 60) : 'for no reason given'})`;
  } finally {
    await running.stop();
  }
}

function sumOf({ passed, failed }: Graded): string {
  return `${passed}/${failed}`;
}
