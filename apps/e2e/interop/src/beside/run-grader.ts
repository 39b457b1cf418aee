import { resolve } from 'node:path';
import { openStage } from '../runner/stage-storyboards.js';

/**
 * `npm run grade -- FOLDER [storyboard ...]`: runs every storyboard of the public SDK that lies in the `node_modules` of a
 * folder at our MCP endpoint, each as a caller of its own, and prints the table of docs/protocol/peers.md with the reason of
 * each step that fails.
 */
const [folder, ...named] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run grade -- FOLDER [storyboard ...]');
  process.exit(2);
}
process.env['GRADER_FOLDER'] = resolve(folder);
const stage = await openStage();
try {
  const all = named.length > 0 ? named : await stage.runner.storyboards();
  // These count what is there, so nobody may have added anything before.
  const counts = (storyboard: string): number => Number(storyboard.startsWith('pagination_'));
  const wanted = all.toSorted((one, other) => counts(other) - counts(one));
  const sum = { passed: 0, failed: 0, skipped: 0 };
  console.log('| Storyboard | Passed | Failed | Skipped |\n| --- | --- | --- | --- |');
  for (const storyboard of wanted) {
    const graded = await stage.graded(storyboard, 'mcp');
    for (const name of ['passed', 'failed', 'skipped'] as const) sum[name] += graded[name];
    console.log(`| \`${storyboard}\` | ${graded.passed} | ${graded.failed} | ${graded.skipped} |`);
    for (const { step, reason } of graded.failures) console.log(`  ${step}: ${reason.slice(0, 300)}`);
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
} finally {
  await stage.close();
}
