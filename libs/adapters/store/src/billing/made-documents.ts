import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';

/** A document that was made for somebody outside. */
export interface MadeDocument {
  /** SHA-256 of its canonical text, hexadecimal. */
  readonly digest: string;
  readonly title: string;
}

/** Which documents an organization has made, so that whoever has one can check that. */
export function madeDocuments(store: Store) {
  return {
    /** A document that is made again keeps the time at which it was first made. */
    record: (scope: TenantScope, { digest, title }: MadeDocument, at: Instant): Promise<void> =>
      store.inTenantModels(scope, async ({ made_document }) => {
        const data = { organization_id: scope.organizationId, digest, title: storableText(title) };
        await made_document.createMany({ data: { ...data, made_at: new Date(at) }, skipDuplicates: true });
      }),
    find: (
      scope: TenantScope,
      digest: string,
    ): Promise<{ readonly title: string; readonly madeAt: Instant } | undefined> =>
      store.inTenantModels(scope, async ({ made_document }) => {
        const where = { organization_id: scope.organizationId, digest };
        const found = await made_document.findFirst({ where });
        return found === null ? undefined : { title: found.title, madeAt: found.made_at.getTime() };
      }),
  };
}

export type MadeDocuments = ReturnType<typeof madeDocuments>;
