import type { Finding, StoredCheck } from './check.js';

/** What a seller is told: in words that can be mailed to it, without names of clients, prices and secrets. */
export interface ConformanceReport {
  readonly findings: readonly Finding[];
  readonly markdown: string;
}

const grades = ['blocks', 'limits', 'cosmetic'] as const;
const headings = { blocks: 'Blocks', limits: 'Limits', cosmetic: 'Cosmetic' } as const;

/** Makes the report of the results of the checks. A failed check without a finding of its own becomes one. */
export function conformanceReport(
  seller: { readonly slug: string; readonly agentUrl: string; readonly release: string },
  checks: readonly StoredCheck[],
): ConformanceReport {
  const findings = checks
    .flatMap((check) => {
      if (check.findings !== undefined && check.findings.length > 0) return check.findings;
      return check.state === 'failed' ? [findingOf(check, seller.release)] : [];
    })
    .toSorted((one, other) => grades.indexOf(one.grade) - grades.indexOf(other.grade));
  return { findings, markdown: markdownOf(seller, findings) };
}

function findingOf({ key, words, next }: StoredCheck, release: string): Finding {
  return {
    grade: 'blocks',
    task: key,
    release,
    sent: `the check "${key}" of a new connection`,
    came: words,
    allowed: 'The check passes.',
    cost: 'The connection is not switched on.',
    mend: next ?? 'Tell us when it can be tried again.',
  };
}

function markdownOf(
  { slug, agentUrl, release }: { readonly slug: string; readonly agentUrl: string; readonly release: string },
  findings: readonly Finding[],
): string {
  const head = [
    `# Connection test of ${plain(slug)}`,
    '',
    `Agent: ${plain(agentUrl)}. Release: ${plain(release)}.`,
    '',
  ];
  if (findings.length === 0) return [...head, 'We found nothing to repair.', ''].join('\n');
  const parts = grades.flatMap((grade) => {
    const some = findings.filter((finding) => finding.grade === grade);
    return some.length === 0 ? [] : [`## ${headings[grade]}`, '', ...some.flatMap(paragraphOf)];
  });
  return [...head, ...parts].join('\n');
}

function paragraphOf({ task, release, sent, came, allowed, cost, mend }: Finding): readonly string[] {
  return [
    `### ${plain(task)}, release ${plain(release)}`,
    '',
    `- We sent: ${plain(sent)}`,
    `- What came: ${plain(came)}`,
    `- What the release allows: ${plain(allowed)}`,
    `- What it costs: ${plain(cost)}`,
    `- How to repair it: ${plain(mend)}`,
    '',
  ];
}

/** Texts of a seller are shown as text: no markup, and one line. */
function plain(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/([\\`*_{}[\]<>#|!])/g, '\\$1');
}
