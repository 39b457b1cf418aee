import { emptyStream } from '@switchyard/journal';
import { ledgerExport } from '@switchyard/ledger';
import type { AdminService, LedgerVerdict } from '@switchyard/server';
import { err, ok } from '@switchyard/values';
import { specBuy } from './spec-buy.js';

/** What a spec may change while it runs. */
export interface SpecTruth {
  verdict: LedgerVerdict;
  sellerState: 'live' | 'failed';
}

/** Sellers, buys, the ledger and credentials, as far as the command line asks; it remembers each secret it is given. */
export function specAdmin(token: string, secrets: string[], truth: SpecTruth): AdminService {
  const unused = (): never => {
    throw new Error('not asked for in these specs');
  };
  return {
    listSellers: () => Promise.resolve([]),
    addSeller: (_caller, draft) => {
      draft.token?.useText((text) => secrets.push(text));
      return Promise.resolve(
        ok({
          slug: draft.slug,
          name: draft.slug,
          agent_url: draft.agentUrl,
          protocol: draft.protocol,
          dialect: draft.dialect,
          form: draft.form ?? 'auto',
          kinds: ['sales'],
          state: truth.sellerState,
          ...(truth.sellerState === 'failed' ? { reason: 'nobody answers\u001b[2J there' } : {}),
        }),
      );
    },
    importSellers: (_caller, rows) =>
      Promise.resolve(
        ok(
          rows.map(({ slug }) =>
            slug === 'dead'
              ? { slug, state: 'failed' as const, reason: 'unreachable' }
              : { slug, state: 'live' as const },
          ),
        ),
      ),
    listBuys: () => Promise.resolve([specBuy]),
    settleLeg: (_caller, verdict) => Promise.resolve(ok({ leg_id: verdict.legId, task_status: 'completed' })),
    showBuy: (_caller, id) =>
      Promise.resolve(
        id === 'mb_1'
          ? ok(specBuy)
          : err({ code: 'NOT_FOUND', message: 'There is no such media buy.', field: 'id' }),
      ),
    ledgerSpend: () => Promise.resolve([{ seller: 'acme', currency: 'USD', spend: '12.500001' }]),
    ledgerVerify: () => Promise.resolve(truth.verdict),
    ledgerEntries: () =>
      Promise.resolve([
        {
          entry_id: 'e1',
          kind: 'bought',
          occurred_at: '2026-11-21T12:00:00.000Z',
          seller: 'acme',
          hash: 'ab',
          postings: [],
          facts: { action: 'create' },
        },
      ]),
    ledgerExport: () => Promise.resolve(ledgerExport({ blocks: [], head: emptyStream('ledger:spec') })),
    listCredentials: () => Promise.resolve([]),
    rotateCredential: (_caller, id, secret) => {
      secret.useText((text) => secrets.push(text));
      return Promise.resolve(
        ok({
          credential_id: id,
          version: 2,
          kind: 'seller',
          scheme: 'bearer',
          kms_key_id: 'k',
          created_at: 'now',
        }),
      );
    },
    rewrapCredentials: () => Promise.resolve(ok({ rewrapped: 3, kms_key_id: 'k2' })),
    mintToken: () =>
      Promise.resolve(ok({ token, principal: 'operator', expires_at: '2026-11-22T12:00:00.000Z' })),
    instance: unused,
    eventCounts: () => Promise.resolve({ received: 1, applied: 0, quarantined: 1 }),
  };
}
