import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import { caseIdOf } from './case-id.js';
import { withdrawnPackages, type PublisherCaseDeps } from './withdrawn-packages.js';

/** How long a person may answer before what runs is paused, in milliseconds. */
const answerWithinMs = 24 * 60 * 60_000;
/** Packages that were asked about in this time are not asked about again, in milliseconds. */
const askedWithinMs = 30 * 24 * 60 * 60_000;

/**
 * Makes a case of what runs at a seller whose publisher does not let it sell any more, by its own adagents.json
 * (docs/protocol/governance.md#a-publisher-that-takes-its-leave-back).
 */
export async function askAboutPublishers(
  deps: PublisherCaseDeps & { readonly clock: Clock },
  scope: TenantScope,
  connection: Connection,
): Promise<void> {
  const now = deps.clock.now();
  const kind = 'publisher_withdrew';
  for (const [publisher, packages] of await withdrawnPackages(deps, scope, connection)) {
    const about = { kind, subject: publisher, connectionId: connection.id } as const;
    const before = await deps.cases.askedAbout(scope, about, now - askedWithinMs);
    const asked = packages.map(({ packageId }) => packageId).filter((id) => !before.packageIds.includes(id));
    if (asked.length === 0) continue;
    const id = caseIdOf(scope, [kind, publisher, connection.id, String(before.cases)]);
    await deps.cases.open(
      scope,
      {
        ...about,
        id,
        state: 'asked',
        rightsId: publisher,
        reason: `By its own adagents.json ${publisher} does not let the seller ${connection.slug} sell for it.`,
        effectiveAt: now + answerWithinMs,
        uses: [],
        owner: publisher,
        eventId: id,
        actAt: now,
        buys: packages,
      },
      now,
    );
  }
}
