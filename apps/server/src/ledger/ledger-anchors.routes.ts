import { err, isoOf, ok } from '@switchyard/values';
import { lists, type SignedAnchor } from '@switchyard/store';
import { z } from 'zod';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { LedgerAnchors } from './anchor-ledger.js';
import type { LedgerVerifier } from './verify-ledger.js';
import { jsonObject } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { verdict, verdictView } from './ledger-verdict.js';

interface AnchorsDeps {
  readonly jobStarter: JobStarter;
  readonly anchors: LedgerAnchors;
  readonly verifier: LedgerVerifier;
}

const { view: anchor, routes: listed } = resource(lists.anchorList, {
  noun: 'ledger_anchor',
  plural: 'anchors',
  path: '/v1/ledger/anchors',
  id: 'list_ledger_anchors',
  area: 'ledger',
  summary: 'Signed heads of the ledger: one a day while it grows',
  example: {
    anchor_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    stream: 'ledger:0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
    number: '3',
    hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    entry_total: '12',
    sealed_at: '2026-11-21T12:00:00.000Z',
    made_at: '2026-11-21T13:00:00.000Z',
    jws: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
    key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  },
  views: { key: jsonObject },
  command: {
    group: 'ledger anchors',
    title: 'signed heads of the ledger, to be stored elsewhere',
    summary: 'signed heads, newest first; keep the output of --json for ledger verify --anchors',
    columns: { Made: 'made_at', Block: 'number', Entries: 'entry_total', Hash: 'hash' },
    none: 'No head was signed yet. One is signed a day, or now: ledger anchors make.',
  },
});

const remembered = z.strictObject({
  stream: z.string().max(100),
  number: z.string().regex(/^\d{1,18}$/, 'must be a number as text'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
});

const route = routesOn<AnchorsDeps>();

/** Signed heads of the ledger, and the check that the ledger still contains them. */
export const ledgerAnchorRoutes = [
  ...listed,
  ...withJobs([
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
  ]),
];

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
