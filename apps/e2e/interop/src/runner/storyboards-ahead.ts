import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The year in which the shipped storyboards play. */
const playedIn = 2026;

/**
 * A copy of the runner's own storyboards in which every date lies as many years later as it takes for all of them to
 * lie ahead. Nothing else is changed, unless it is `corrected`. Flights of the past are refused by us, as by any seller,
 * before anything else is looked at, and the runner moves the dates of some steps by the clock, which breaks the replays
 * of others.
 */
export function storyboardsAhead(folder: string, now: Date, copied: 'as-shipped' | 'corrected'): string {
  const manifest = createRequire(import.meta.url).resolve('@adcp/sdk/package.json');
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
 * Places in which a storyboard ends before it has come to what it is about, whoever is asked:
 *
 * `idempotency` takes the request's key out of the answer to it, where no release has a place for it, and needs it nowhere
 * afterwards. Then it waits for a webhook about a buy that was answered inline, of which nobody sends any, to see that
 * there is at most one. And the runner puts an account of its own into its requests, but into none that it expects to
 * fail: the key is reused in another account, which is another key. It takes `recovery` in the refusal for a leak, which
 * the storyboard itself wants there. `deterministic_testing` gives up on everything after
 * its sessions at an agent that has none. `sales_proposal_mode` refines and finalizes a proposal of its own example, and
 * not the one that it was just shown.
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

/** The brand, and the operator, that the runner acts for unless it is told otherwise. */
const runnersOwn = 'test.example';
