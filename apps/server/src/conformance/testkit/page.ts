import { releaseNames, type Dialect, type Form, type ReleaseName } from '@switchyard/protocol';
import { deviations, openLists, unpublishedArms } from '@switchyard/testing';
import type { CoveredEndpoint } from './task-endpoints.js';
import { cannotCarry } from './findings.js';
import type { Arm } from './stage.js';

export interface CellResult {
  readonly task: string;
  readonly endpoint: CoveredEndpoint;
  readonly dialect: Dialect;
  readonly form: Form | ReleaseName;
  readonly arm: Arm;
  readonly passed: boolean;
}

const http: readonly CoveredEndpoint[] = ['mcp', 'a2a', 'rest'];
const forms: readonly (Form | ReleaseName)[] = ['service', '2.5', '3.0', '3.1', ...releaseNames];

/** Writes the page of `docs/protocol` from the results of the suite and its tables only. */
export function coveragePage(results: readonly CellResult[]): string {
  const lost = Object.entries(cannotCarry).flatMap(([task, byForm]) =>
    Object.entries(byForm).map(
      ([form, members]) => `| \`${task}\` | ${form} | ${members.map((name) => `\`${name}\``).join(', ')} |`,
    ),
  );
  return `${[
    introduction,
    ...tableOf(results, 'answered'),
    legend,
    ...tableOf(results, 'submitted'),
    proposals,
    ...tableOf(results, 'proposal'),
    lossesHeading,
    '| Task | Form | Members |',
    '| --- | --- | --- |',
    ...lost,
    '',
    '## Where we do not follow a published schema',
    '',
    ...deviations.map(({ forms: of, fault, why }) => `- ${of.join(', ')}: \`${fault.source}\`. ${why}`),
    ...unpublishedArms.map(
      ({ task, forms: of, why }) => `- ${of.join(', ')}: \`${task}\` that answers \`submitted\`. ${why}`,
    ),
    ...openLists.map(
      ({ task, forms: of, member, why }) => `- ${of.join(', ')}: \`${member}\` of \`${task}\`. ${why}`,
    ),
  ].join('\n')}\n`;
}

function tableOf(results: readonly CellResult[], arm: Arm): readonly string[] {
  const ofArm = results.filter((result) => result.arm === arm);
  const rows = [...new Set(ofArm.map(({ task }) => task))].flatMap((task) =>
    (['ads', 'adcp'] as const).map((dialect) => {
      const cells = forms.map((form) =>
        http.map((endpoint) => word(ofArm, { task, endpoint, dialect, form })).join(' '),
      );
      return `| \`${task}\` | ${dialect} | ${cells.join(' | ')} |`;
    }),
  );
  return [
    `| Task | Dialect | ${forms.join(' | ')} |`,
    `| --- | --- |${' --- |'.repeat(forms.length)}`,
    ...rows,
  ];
}

function word(results: readonly CellResult[], cell: Omit<CellResult, 'passed' | 'arm'>): string {
  const found = results.find(
    ({ task, endpoint, dialect, form }) =>
      task === cell.task && endpoint === cell.endpoint && dialect === cell.dialect && form === cell.form,
  );
  if (found === undefined) return 'n/a';
  return found.passed ? cell.endpoint : `~~${cell.endpoint}~~`;
}

const introduction = `# Protocol coverage

Written by the suite \`apps/server/src/conformance\`, which fails where this page is not what its cells say:
\`SWITCHYARD_WRITE_COVERAGE=1\` makes it write the page and its captures anew. The table of tasks is
\`libs/domain/protocol/src/task-table.ts\`; a task in it without a full message of each form fails the suite.

A cell names the endpoint (\`mcp\`, \`a2a\`, \`rest\`) where it passed. It passes if a full message of the form, sent to the
real endpoint of the whole product over a real database, reaches one seller of each form, and what was sent, what every
seller received and what was answered conform to the schemas published of their forms and are what the captures beside
the suite expect. The sellers speak MCP or A2A (0.3, and 1.0 at the newest) in turn, so that each endpoint and each form
meets both; \`npm run test:matrix\` tries every cell in front of both. A struck endpoint did not pass. A task that only we
answer reaches no seller. Each cell turns red when the task's projector is taken away, which the suite tries. What else we
speak, webhooks and signatures among it, is in [peers](peers.md).

## Cells
`;

const legend = `
\`n/a\`: a call without a version field is taken for \`ads\`, unless who signed it is registered as \`adcp\`; so neither the
\`service\` form nor 2.5 can be told apart there from \`ads\`. The \`service\` form has no published schemas: its cells
stand on their captures alone, as do those of tasks that a release does not have. A task that a release has added is \`n/a\`
in every other one, where it is refused. A prerelease is spoken only by its exact name.

## Cells of tasks that are only taken in

The same tasks where every seller says that the work is under way (\`submitted\`; \`pending\` in the \`service\` form).
`;

const proposals = `
## Cells of proposals that are bought as a whole

By \`proposal_id\` and \`total_budget\`, from the seller of the other release that made the proposal. The \`service\` form
and 2.5 have no proposals.
`;

const lossesHeading = `
## What a form cannot carry

Each is a finding in the answer where it happens, and one that is not listed here fails the suite.
`;
