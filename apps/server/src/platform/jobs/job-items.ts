import type { JobStore } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, Secret, type JsonValue, type Result } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';
import { itemsPerPart } from './job-kind.js';

/** The items of jobs, which may contain secrets: sealed in the vault, in parts. */
export interface JobItems {
  /** The credentials that hold them; undefined if the vault cannot seal now. */
  seal(scope: TenantScope, items: readonly object[]): Promise<Result<readonly string[], undefined>>;
  /** One part, from 0. Rejects if it cannot be opened now. */
  open(scope: TenantScope, jobId: string, part: number): Promise<readonly JsonValue[]>;
}

export function jobItems(
  vault: Pick<Vault, 'put' | 'withSecret'>,
  jobs: Pick<JobStore, 'itemsOf'>,
): JobItems {
  return {
    seal: async (scope, items) => {
      const ids: string[] = [];
      for (let from = 0; from < items.length; from += itemsPerPart) {
        const text = JSON.stringify(items.slice(from, from + itemsPerPart));
        const secret = new Secret(Buffer.from(text, 'utf8'));
        const sealed = await vault.put(scope, { kind: 'job', secret });
        secret.wipe();
        if (!sealed.ok) return err(undefined);
        ids.push(sealed.value.credentialId);
      }
      return ok(ids);
    },
    open: async (scope, jobId, part) => {
      const credentialId = await jobs.itemsOf(scope, jobId, part);
      if (credentialId === undefined) throw new Error('The items of the job are gone.');
      const opened = await vault.withSecret(
        scope,
        { credentialId, kind: 'job' },
        { purpose: 'job', actor: 'jobs' },
        (secret) => Promise.resolve(secret.useText((text): unknown => JSON.parse(text))),
      );
      if (!opened.ok) throw new Error(`The items of the job could not be opened (${opened.error.code}).`);
      if (!Array.isArray(opened.value)) throw new Error('The sealed items of a job are no list.');
      return opened.value as readonly JsonValue[];
    },
  };
}
