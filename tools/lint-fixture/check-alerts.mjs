/**
 * Checks the alert rules of docker/prometheus: each has a section in the runbook and two tests, one that raises it and one
 * that does not, and each figure that it reads is published. The dashboards of docker/grafana are what their script makes,
 * and read published figures too. Where promtool is installed, it checks the rules and the expressions of the dashboards,
 * and runs the tests.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

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
  checkFigures(alert, expr);
}

/** Each figure of ours that an expression reads is published. */
function checkFigures(reader, expr) {
  for (const [, name] of expr.matchAll(/\bswitchyard_(\w+?)(?:_bucket)?\b(?=[{)[ ])/g))
    if (!metrics.includes(`'${name}'`) && !metrics.includes(`'switchyard_${name}'`))
      faults.push(`${reader} reads switchyard_${name}, which nothing publishes.`);
}

if (
  spawnSync(process.execPath, ['docker/grafana/make-dashboards.mjs', '--check'], { stdio: 'inherit' })
    .status !== 0
)
  faults.push('Run docker/grafana/make-dashboards.mjs and commit what it writes.');
const expressions = readdirSync('docker/grafana')
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => JSON.parse(readFileSync(`docker/grafana/${file}`, 'utf8')).panels)
  .flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
for (const { title, expr } of expressions) checkFigures(`The panel "${title}"`, expr);

/** The expressions of the dashboards as rules that record, which promtool checks. */
function dashboardRules(folder) {
  const rules = expressions.map(({ expr }, at) => ({
    record: `panel:${at}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }));
  const file = join(folder, 'dashboards.yml');
  writeFileSync(file, stringify({ groups: [{ name: 'dashboards', rules }] }));
  return file;
}

if (spawnSync('promtool', ['--version']).error !== undefined) {
  console.log(
    'not run: 3 checks of the alerts and dashboards (promtool, of the package prometheus) are not here',
  );
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'switchyard-rules-'));
  for (const [what, file] of [
    ['check', 'alerts.yml'],
    ['check', dashboardRules(scratch)],
    ['test', 'alerts.test.yml'],
  ]) {
    const ran = spawnSync('promtool', [what, 'rules', file], { cwd: folder, encoding: 'utf8' });
    if (ran.status !== 0) faults.push(`promtool ${what} rules ${file}:\n${ran.stdout}${ran.stderr}`);
  }
  rmSync(scratch, { recursive: true });
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
