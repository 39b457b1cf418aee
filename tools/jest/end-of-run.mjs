import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf } from './processor-time.mjs';

/**
 * Ends the process of a run whose suites have ended, if something that a spec left open keeps it alive: Jest itself
 * would wait for ever. It prints what was open, and the result of the run is unchanged.
 *
 * If FAILED_SPECS names a file, it gets a line for each failed spec file: the Nx task, the folder of the package, the
 * spec file, and the number of its failed tests. `.ci/run` runs these once more, alone.
 */
export default class EndOfRun {
  async onRunComplete(_contexts, results) {
    const {
      FAILED_SPECS,
      NX_TASK_TARGET_PROJECT: project = '',
      NX_TASK_TARGET_TARGET: target = '',
    } = process.env;
    if (FAILED_SPECS !== undefined)
      for (const { testFilePath, numFailingTests, testExecError } of results.testResults) {
        if (numFailingTests === 0 && !testExecError) continue;
        const spec = relative(process.cwd(), testFilePath);
        const [folder, inside] = spec.split('/src/');
        // Specs that run Jest on their own files, some of which fail on purpose.
        if (inside === undefined) continue;
        appendFileSync(FAILED_SPECS, `${project}:${target} ${folder} ${spec} ${numFailingTests}\n`);
      }
    const end = () => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(
        `The suites are over, and the process did not end by itself. Left open: ${open}\n`,
      );
      // Jest decides the result of the run after this call.
      process.exit(results.success ? 0 : 1);
    };
    setTimeout(end, 40_000).unref();
    await endChildren();
  }
}

/**
 * Ends the programs that suites of this process shared, and waits for them, at most 15 seconds: the system adds the
 * processor time of a process to that of its parent only when the parent has waited for it.
 */
async function endChildren() {
  for (const [pid, signal] of childrenOf(process.pid))
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  for (let turn = 0; turn < 150 && childrenOf(process.pid).length > 0; turn += 1) await pause(100);
}
