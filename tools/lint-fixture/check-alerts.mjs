/**
 * Checks the alert rules of docker/prometheus: each has a section in the runbook and two tests, one that raises it and one
 * that does not, and each figure that it reads is published. Where promtool is installed, it checks the rules and runs the
 * tests.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const folder = 'docker/prometheus';
const rules = readFileSync(`${folder}/alerts.yml`, 'utf8');
const alerts = parse(rules).groups.flatMap((group) => group.rules);
const { tests } = parse(readFileSync(`${folder}/alerts.test.yml`, 'utf8'));
const page = readFileSync('docs/runbooks/operate.md', 'utf8');
const metrics = readFileSync('libs/adapters/telemetry/src/create-metrics.ts', 'utf8');
const faults = [];

const sections = [...page.matchAll(/^### alert: (\w+)$/gm)].map(([, name]) => name);
if (sections.join() !== alerts.map(({ alert }) => alert).join())
  faults.push('The sections "alert: NAME" of the runbook are not those of the alerts, in their order.');
for (const { alert, annotations, labels, expr } of alerts) {
  if (annotations?.runbook_url !== `docs/runbooks/operate.md#alert-${alert.toLowerCase()}`)
    faults.push(`${alert} has another runbook_url than its section.`);
  if (!['critical', 'warning'].includes(labels?.severity)) faults.push(`${alert} has no severity.`);
  const raised = tests
    .flatMap((test) => test.alert_rule_test)
    .filter((each) => each.alertname === alert)
    .map((each) => each.exp_alerts.length > 0);
  if (raised.sort().join() !== 'false,true')
    faults.push(`${alert} needs one test that raises it and one that does not.`);
  for (const [, name] of expr.matchAll(/\bswitchyard_(\w+?)(?:_bucket)?\b(?=[{)[ ])/g))
    if (!metrics.includes(`'${name}'`) && !metrics.includes(`'switchyard_${name}'`))
      faults.push(`${alert} reads switchyard_${name}, which nothing publishes.`);
}
if (spawnSync('promtool', ['--version']).error !== undefined) {
  console.log('not run: 2 checks of the alerts (promtool, of the package prometheus) are not here');
} else {
  for (const [what, file] of [
    ['check', 'alerts.yml'],
    ['test', 'alerts.test.yml'],
  ]) {
    const ran = spawnSync('promtool', [what, 'rules', file], { cwd: folder, encoding: 'utf8' });
    if (ran.status !== 0) faults.push(`promtool ${what} rules ${file}:\n${ran.stdout}${ran.stderr}`);
  }
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
