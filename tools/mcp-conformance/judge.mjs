import { expected } from './expected.mjs';

/** Prints the scenarios of one revision, and returns those that differ from what is expected. */
export function judge(revision, printed) {
  const summary = printed.slice(printed.indexOf('=== SUMMARY ==='));
  const rows = [...summary.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed$/gmu)].map(
    ([, , name, passed, failed]) => ({ name, passed: Number(passed), failed: Number(failed) }),
  );
  if (rows.length === 0) return [`${revision}: the suite printed no results.`];
  const whole = rows.filter(({ failed }) => failed === 0);
  console.log(`${revision}: ${whole.length} of ${rows.length} scenarios without a failure`);
  for (const { name, passed, failed } of rows)
    console.log(`  ${name}: ${passed}/${failed}${failed > 0 ? `  ${expected.get(name) ?? ''}` : ''}`);
  return rows.flatMap(({ name, failed }) => {
    if (failed > 0 && !expected.has(name)) return [`${revision}: ${name} failed.`];
    return failed === 0 && expected.has(name)
      ? [`${revision}: ${name} passes; take it out of expected.mjs.`]
      : [];
  });
}
