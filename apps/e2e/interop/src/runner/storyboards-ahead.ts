import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requireOfSdk } from '../sdk/sdk-folder.js';

/** The year of the dates in the shipped storyboards. */
const playedIn = 2026;

/**
 * Returns a copy of the runner's storyboards with all dates moved by whole years into the future. Nothing else changes,
 * unless it is `corrected`. Reasons: flights in the past are refused before any other check, as at any seller, and the
 * runner moves the dates of some steps by the clock, which breaks the replays of others.
 */
export function storyboardsAhead(folder: string, now: Date, copied: 'as-shipped' | 'corrected'): string {
  const manifest = requireOfSdk().resolve('@adcp/sdk/package.json');
  const release = readFileSync(join(dirname(manifest), 'ADCP_VERSION'), 'utf8').trim();
  const copy = join(folder, `storyboards-${copied}`);
  cpSync(join(dirname(manifest), 'compliance', 'cache', release), copy, { recursive: true });
  const later = now.getUTCFullYear() + 1 - playedIn;
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.yaml')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    const moved = text.replace(/\b(20\d\d)(?=-\d\d-\d\d)/g, (year) => String(Number(year) + later));
    const right = copied === 'corrected' ? corrected(moved) : moved;
    if (right !== text) writeFileSync(path, right);
  }
  return copy;
}

/**
 * Corrects places where a storyboard ends before it tests its subject, at any agent:
 *
 * `idempotency` reads the request's key from the answer, where no release has a member for it, and never uses it. Then
 * it waits for a webhook about a buy that was answered inline, which nobody sends, to check that there is at most one.
 * The runner also adds its own account to requests, except to those that it expects to fail: so the key is reused in
 * another account, where it is another key. It reports `recovery` in a refusal as a leak, although the storyboard
 * requires it. `deterministic_testing` skips everything after its sessions at an agent without sessions.
 * `sales_proposal_mode` refines and finalizes the proposal of its own example instead of the one that it received.
 */
function corrected(text: string): string {
  const right = text
    .replace(/ *- name: idempotency_key_a\n *path: "idempotency_key"\n/, '')
    .replace(/ {6}- id: no_duplicate_webhooks_on_replay\n[\s\S]*?(?= {2}- id: key_reuse_conflict\n)/, '')
    .replace(
      /^invariants:\n {2}- idempotency\.conflict_no_payload_leak\n {2}- /m,
      'invariants:\n  disable:\n    - idempotency.conflict_no_payload_leak\n  enable:\n    - ',
    )
    .replace(/ {2}- id: deterministic_session\n[\s\S]*?(?= {2}- id: deterministic_delivery\n)/, '')
    .replaceAll('"balanced_reach_q2"', '"$context.proposal_id"');
  return /^id: idempotency$/m.test(text)
    ? right.replace(/\b(?:acmeoutdoor|pinnacle-agency)\.example\b/g, runnersOwn)
    : right;
}

/** The brand and operator of the runner by default. */
const runnersOwn = 'test.example';
