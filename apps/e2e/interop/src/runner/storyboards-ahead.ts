import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The year in which the shipped storyboards play. */
const playedIn = 2026;

/**
 * A copy of the runner's own storyboards in which every date lies as many years later as it takes for all of them to
 * lie ahead, and the secrets for callbacks are nobody's to read. Nothing else is changed. Flights of the past are
 * refused by us, as by any seller, before anything else is looked at, and the runner moves the dates of some steps by
 * the clock, which breaks the replays of others. Secrets out of a manual are no secrets, and are refused.
 */
export function storyboardsAhead(folder: string, now: Date): string {
  const manifest = createRequire(import.meta.url).resolve('@adcp/sdk/package.json');
  const release = readFileSync(join(dirname(manifest), 'ADCP_VERSION'), 'utf8').trim();
  const copy = join(folder, 'storyboards');
  cpSync(join(dirname(manifest), 'compliance', 'cache', release), copy, { recursive: true });
  const secret = randomBytes(32).toString('base64url');
  const later = now.getUTCFullYear() + 1 - playedIn;
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.yaml')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    const moved = text
      .replace(/\b(20\d\d)(?=-\d\d-\d\d)/g, (year) => String(Number(year) + later))
      .replace(/\b(sales-guaranteed|media-buy-seller)-webhook-secret-token\b/g, secret);
    if (moved !== text) writeFileSync(path, moved);
  }
  return copy;
}
