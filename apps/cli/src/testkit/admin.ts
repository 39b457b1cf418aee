import { emptyStream } from '@switchyard/journal';
import { ledgerExport } from '@switchyard/ledger';
import { err, ok } from '@switchyard/values';
import { StartedJob, WrittenAnswer } from '@switchyard/server';
import { specBuy, specBuySummary, specWaitingBuy } from './buy.js';
import type { SpecAnswers } from './run-route.js';

/** What a spec may change while it runs. */
export interface SpecTruth {
  verdict: object;
  sellerState: 'live' | 'failed';
  /** Of the server, once it listens. */
  url: string;
}

const at = '2026-11-21T12:00:00.000Z';

const specLimit = {
  limit_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  for: 'brand:acme.example',
  limit: '50000',
  currency: 'EUR',
  per: 'month',
  above: 'ask',
  committed: '29900.5',
  pending: '0',
  left: '20099.5',
  set_at: at,
};

const specJob = {
  job_id: 'j1',
  kind: 'import_sellers',
  title: 'Import of sellers',
  state: 'succeeded',
  done: 300,
  total: 300,
  faults: 1,
  result: { succeeded: 299, failed: 1, matched: 7, open: 2 },
  started_by: 'operator',
  created_at: at,
  ended_at: at,
};

/** A chain without blocks. */
const specChain = () =>
  ok(
    new WrittenAnswer(async (write) => {
      const chain = { blocks: [], head: emptyStream('ledger:spec') };
      for await (const part of ledgerExport(chain)) await write(part);
    }),
  );

/** One job, which has ended with one failed item. */
const specJobs: SpecAnswers = {
  list_jobs: () => ok({ jobs: [{ ...specJob, state: 'running', done: 140, cancel_requested_at: at }] }),
  show_job: () => ok(specJob),
  list_job_faults: () =>
    ok({ faults: [{ position: 7, item: 'dead', code: 'NOT_LIVE', message: 'unreachable\u001b[2J' }] }),
  cancel_job: () => err({ code: 'CONFLICT', message: 'This job has ended.' }),
  retry_job: () => ok({ ...specJob, state: 'waiting', done: 299, faults: 0 }),
};

/** Sellers, buys, the ledger and credentials, as far as the command line asks; it remembers each secret it is given. */
export function specAdmin(token: string, secrets: string[], truth: SpecTruth): SpecAnswers {
  return {
    list_sellers: () => ok({ sellers: [] }),
    add_found_seller: ({ body }) => {
      const { slug, token: given } = body as Record<string, string>;
      if (given !== undefined) secrets.push(given);
      const isLive = truth.sellerState === 'live';
      const words = isLive ? 'It is live.' : 'nobody answers\u001b[2J there';
      const check = { key: 'live', state: isLive ? 'passed' : 'failed', code: 'spec', words };
      return ok({ slug, state: truth.sellerState, checks: [check] });
    },
    ...specJobs,
    import_sellers: ({ query, body }) => {
      if ((query as { readonly respond?: string }).respond !== undefined) return ok(new StartedJob('j1'));
      const sellers = (body as { slug: string }[]).map(({ slug }) =>
        slug === 'dead' ? { slug, state: 'failed', reason: 'unreachable' } : { slug, state: 'live' },
      );
      return ok({ sellers });
    },
    reconcile: ({ query }) =>
      (query as { readonly respond?: string }).respond === undefined
        ? ok({ matched: 7, breaks: [] })
        : ok(new StartedJob('j1')),
    list_buys: ({ query }) => {
      const isPage = (query as { readonly limit?: number }).limit === 1;
      return ok({ media_buys: [specBuySummary], ...(isPage && { next_cursor: 'more' }) });
    },
    list_limits: ({ query }) => {
      const isLast = (query as { readonly cursor?: string }).cursor !== undefined;
      return ok({ limits: [specLimit], ...(!isLast && { next_cursor: 'more' }) });
    },
    end_commitment: ({ params, body }) => {
      const { seller } = body as { readonly seller: string };
      return ok({ media_buy_id: params['id'], seller, state: 'final', committed: '900', currency: 'USD' });
    },
    show_campaign_pause: () => {
      const row = { sellers: ['acme'], currency: 'USD', left: '1' };
      const running = Array.from({ length: 101 }, (_, at) => ({ ...row, media_buy_id: `mb_${at}` }));
      return ok({ running, paused: running.slice(0, 1) });
    },
    pause_campaign: ({ params, body }) => {
      const ids = (body as { readonly media_buy_ids: string[] }).media_buy_ids;
      if (params['id'] === 'ends' && ids.length < 100)
        return err({ code: 'NOT_FOUND', message: 'No buy of the campaign with this id can still deliver.' });
      const outcome = { sellers: ['acme'], status: 'completed' as const };
      return ok({ outcomes: ids.map((id) => ({ ...outcome, media_buy_id: id })) });
    },
    settle_leg: ({ params }) => ok({ leg_id: params['id'], task_status: 'completed' }),
    show_buy: ({ params }) => {
      const buy = [specBuy, specWaitingBuy].find((item) => item.media_buy_id === params['id']);
      return buy === undefined
        ? err({ code: 'NOT_FOUND', message: 'There is no such media buy.', field: 'id' })
        : ok(buy);
    },
    ledger_spend: () => ok({ spend: [{ seller: 'acme', currency: 'USD', spend: '12.500001' }] }),
    ledger_verify: () => ok(truth.verdict),
    ledger_entries: () => {
      const entry = { entry_id: 'e1', kind: 'bought', occurred_at: at, seller: 'acme', hash: 'ab' };
      const nobodys = {
        client: null,
        client_id: null,
        brand: null,
        brand_name: null,
        campaign: null,
        campaign_id: null,
      };
      return ok({
        entries: [{ ...entry, ...nobodys, postings: [], facts: { action: 'create' } }],
        archived_before: '2025-01',
      });
    },
    ledger_export: specChain,
    start_ledger_export: () => ok(new StartedJob('j1')),
    read_job_file: specChain,
    list_credentials: () => ok({ credentials: [] }),
    rotate_credential: ({ params, body }) => {
      secrets.push((body as { secret: string }).secret);
      return ok({
        credential_id: params['id'],
        version: 2,
        kind: 'seller',
        scheme: 'bearer',
        kms_key_id: 'k',
        created_at: at,
        state: 'current',
        uses: 3,
        refusals: 0,
        says: 'The seller takes it.',
        can_rotate: true,
      });
    },
    rewrap_credentials: () => ok({ rewrapped: 3, kms_key_id: 'k2', left: 0 }),
    mint_token: () => {
      const { url } = truth;
      const urls = { url, mcp_url: `${url}/mcp`, a2a_url: `${url}/a2a` };
      return ok({ ...urls, token, principal: 'operator', expires_at: '2026-11-22T12:00:00.000Z' });
    },
  };
}
