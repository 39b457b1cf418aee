import { err, isoOf, ok } from '@switchyard/values';
import type { SignedAnchor } from '@switchyard/store';
import { z } from 'zod';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { LedgerAnchors } from './anchor-ledger.js';
import type { LedgerVerifier } from './verify-ledger.js';
import { instant, jsonObject } from '../platform/routes/fields.js';
import { organizationWide, sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';
import { verdict, verdictView } from './ledger-verdict.js';

interface AnchorsDeps {
  readonly jobStarter: JobStarter;
  readonly anchors: LedgerAnchors;
  readonly verifier: LedgerVerifier;
}

const anchor = z.strictObject({
  anchor_id: z.string(),
  stream: z.string(),
  number: z.string().describe('Number of the newest block then, as text.'),
  hash: z.string().describe('Hash of that block.'),
  entry_total: z.string(),
  sealed_at: instant,
  made_at: instant,
  jws: z.string().describe('Compact JWS (RFC 7515) whose payload is the anchor.'),
  key: jsonObject.describe('Public key that it verifies with, as in /.well-known/jwks.json.'),
});

const remembered = z.strictObject({
  stream: z.string().max(100),
  number: z.string().regex(/^\d{1,18}$/, 'must be a number as text'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
});

const route = routesOn<AnchorsDeps>();

/** Signed heads of the ledger, and the check that the ledger still contains them. */
export const ledgerAnchorRoutes = withJobs([
  route({
    method: 'get',
    path: '/v1/ledger/anchors',
    id: 'list_ledger_anchors',
    summary: 'Signed heads of the ledger: one a day while it grows',
    needs: 'ledger.read',
    query: z.strictObject({ ...sortQuery, ...pageQuery }),
    answer: z.strictObject({ anchors: z.array(anchor), next_cursor: nextCursor }),
    handle: async ({ anchors }, { caller, query }) => {
      const refused = organizationWide(caller, 'ledger', 'read');
      if (refused !== undefined) return err(refused);
      const page = await listPage(
        { id: 'list_ledger_anchors', caller, query },
        (read) =>
          anchors.list(
            { organizationId: caller.organizationId },
            { ...(query.sort && { sort: query.sort }), ...read },
          ),
        ({ madeAt, id }) => [madeAt, id],
      );
      return page.ok ? ok({ anchors: page.value.rows.map(anchorView), ...page.value.next }) : page;
    },
  }),
  route({
    method: 'post',
    path: '/v1/ledger/anchors',
    id: 'make_ledger_anchor',
    summary: 'Sign the head of the ledger now',
    needs: 'ledger.read',
    answer: anchor,
    handle: async ({ anchors }, { caller }) => {
      const refused = organizationWide(caller, 'ledger', 'read');
      if (refused !== undefined) return err(refused);
      const made = await anchors.make({ organizationId: caller.organizationId });
      if (made.ok) return ok(anchorView(made.value));
      return made.error.code === 'empty'
        ? err({ code: 'CONFLICT', message: 'The ledger has no entries to sign.' })
        : err({ code: 'UNAVAILABLE', message: 'The head cannot be signed now: the key is not available.' });
    },
  }),
  route({
    method: 'post',
    path: '/v1/ledger/verify',
    id: 'ledger_verify_anchors',
    summary: 'Verify the whole ledger against heads that were noted earlier',
    needs: 'ledger.read',
    body: z.strictObject({ anchors: z.array(remembered).min(1).max(5_000) }),
    bodyExample: {
      anchors: [
        {
          stream: 'ledger:0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
          number: '3',
          hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
      ],
    },
    answer: verdict,
    asJob: { title: 'Verification of the ledger' },
    handle: async ({ verifier }, { caller, body }) => {
      const refused = organizationWide(caller, 'ledger', 'read');
      if (refused !== undefined) return err(refused);
      const { organizationId } = caller;
      const foreign = body.anchors.findIndex(({ stream }) => stream !== `ledger:${organizationId}`);
      if (foreign !== -1)
        return err({
          code: 'INVALID_REQUEST',
          message: 'This anchor belongs to the ledger of another organization.',
          field: `anchors[${foreign}].stream`,
        });
      const anchors = body.anchors.map(({ number, hash }) => ({ number: BigInt(number), hash }));
      return ok(verdictView(await verifier.verify({ organizationId }, { anchors })));
    },
  }),
]);

function anchorView({ id, head, madeAt, jws, key }: SignedAnchor) {
  return {
    anchor_id: id,
    stream: head.stream,
    number: head.number.toString(),
    hash: head.hash,
    entry_total: head.entryTotal.toString(),
    sealed_at: isoOf(head.sealedAt),
    made_at: isoOf(madeAt),
    jws,
    key,
  };
}
