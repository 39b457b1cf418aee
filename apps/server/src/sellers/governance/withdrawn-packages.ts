import type { Connection, PublisherStatements, TouchedPackage } from '@switchyard/sellers';
import type { GovernanceCases } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';

export interface PublisherCaseDeps {
  readonly cases: GovernanceCases;
  /** What publishers say of sellers in their own documents. */
  readonly publishers: PublisherStatements;
}

/** How long publishers' documents may take, in milliseconds. */
const waitsMs = 10_000;

/**
 * What runs at a seller although no publisher of its product lets it sell there any more, by the first publisher. A product
 * of which one publisher still does goes on.
 */
export async function withdrawnPackages(
  { cases, publishers }: PublisherCaseDeps,
  scope: TenantScope,
  { id, agentUrl }: Pick<Connection, 'id' | 'agentUrl'>,
): Promise<ReadonlyMap<string, readonly TouchedPackage[]>> {
  const running = await cases.runningWithPublishers(scope, id);
  if (running.length === 0) return new Map();
  const statementOn = await publishers.of(
    running.flatMap((item) => item.publishers),
    waitsMs,
  );
  const withdrawn = running.filter(({ publishers: names }) =>
    names.every((name) => statementOn(name, agentUrl).state === 'not_authorized'),
  );
  const byPublisher = new Map<string, TouchedPackage[]>();
  for (const { publishers: names, ...item } of withdrawn) {
    const [name = ''] = names;
    byPublisher.set(name, [...(byPublisher.get(name) ?? []), item]);
  }
  return byPublisher;
}
