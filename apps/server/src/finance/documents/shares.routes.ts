import type { SharedDocuments, SharedLink } from '@switchyard/store';
import { defined, err, isoOf, ok } from '@switchyard/values';
import { z } from 'zod';
import { tokenOfCell } from '../../platform/ids.js';
import { instant } from '../../platform/routes/fields.js';
import { uuidText } from '../../platform/routes/list-filters.js';
import { routesOn } from '../../platform/routes/route.js';
import { billDocument, type BillDocumentDeps } from '../client-invoice-view.js';
import { orderDocument, type OrderDocumentDeps } from '../insertion-orders.routes.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { statementDocuments, statementWanted, type StatementsDeps } from '../statements.routes.js';
import { shareHash } from './shared-documents.controller.js';
import { signDocument } from './sign-document.js';

interface SharesDeps extends StatementsDeps, BillDocumentDeps, OrderDocumentDeps {
  readonly shares: SharedDocuments;
}

const link = z.strictObject({
  share_id: z.string(),
  title: z.string(),
  digest: z.string().describe('SHA-256 of the text that was signed.'),
  state: z.enum(['active', 'expired', 'revoked']),
  made_by: z.string().exactOptional(),
  made_at: instant,
  expires_at: instant,
  revoked_at: instant.exactOptional(),
  opens: z.int().describe('How often its page or a file of it was opened.'),
  opened_at: instant.exactOptional(),
});

const dayMs = 86_400_000;

const route = routesOn<SharesDeps>();

/** Links to documents, for people who do not sign in. */
export const shareRoutes = [
  route({
    method: 'get',
    path: '/v1/shares',
    id: 'list_shares',
    summary: 'Links to documents, the newest 500',
    needs: 'ledger.read',
    isOfOrganization: true,
    answer: z.strictObject({ shares: z.array(link) }),
    handle: async ({ shares, clock }, { caller }) => {
      const now = clock.now();
      return ok({ shares: (await shares.list(caller)).map((one) => linkView(one, now)) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/shares',
    id: 'share_document',
    showsOnce: true,
    summary:
      'Make a link to a statement, an issued document of a client or an insertion order, which anybody who has it may open',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      client_invoice_id: uuidText.exactOptional(),
      insertion_order_id: uuidText.exactOptional(),
      statement: z.strictObject(statementWanted).exactOptional(),
      days: z.int().min(1).max(365).exactOptional().describe('30 unless set.'),
    }),
    answer: z.strictObject({
      share_id: z.string(),
      url: z.string().describe('Shown once: its secret part is kept nowhere.'),
      title: z.string(),
      digest: z.string(),
      expires_at: instant,
    }),
    handle: async (deps, { caller, body: { days = 30, ...what } }) => {
      const made = await sharedOf(deps, caller, what);
      if (!made.ok) return made;
      const { document, digest, page } = made.value;
      const signed = await signDocument(deps, caller, document, 'switchyard-statement+jws');
      if (!signed.ok) return signed;
      const now = deps.clock.now();
      await deps.madeDocuments.record(caller, { digest, title: page.title }, now);
      const { text: token } = tokenOfCell();
      const expiresAt = now + days * dayMs;
      const about = { title: page.title, document, digest, ...signed.value, page };
      const own = { tokenHash: shareHash(token), expiresAt, by: caller.principalId };
      const id = await deps.shares.share(caller, { ...about, ...own }, now);
      const url = `${deps.baseUrl()}/shared/${caller.organizationId}/${token}`;
      return ok({ share_id: id, url, title: page.title, digest, expires_at: isoOf(expiresAt) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/shares/{id}/revoke',
    id: 'revoke_share',
    summary: 'End a link at once',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({ share_id: z.string(), state: z.literal('revoked') }),
    handle: async ({ shares, clock }, { caller, params: { id } }) => {
      return (await shares.revoke(caller, id, clock.now()))
        ? ok({ share_id: id, state: 'revoked' as const })
        : err({ code: 'NOT_FOUND', message: 'No link that stands has this id.', field: 'id' });
    },
  }),
];

/** The document that a request names: one of the three. */
async function sharedOf(
  deps: SharesDeps,
  caller: PrincipalCaller,
  what: {
    readonly client_invoice_id?: string;
    readonly insertion_order_id?: string;
    readonly statement?: Parameters<typeof statementDocuments>[2];
  },
) {
  const { client_invoice_id: invoice, insertion_order_id: order, statement } = what;
  if ([invoice, order, statement].filter((one) => one !== undefined).length !== 1)
    return err({
      code: 'INVALID_REQUEST' as const,
      message: 'Name a document of a client, an insertion order or a statement.',
    });
  if (invoice !== undefined) return billDocument(deps, caller, invoice);
  if (order !== undefined) return orderDocument(deps, caller, order);
  return statementDocuments(deps, caller, { period: '', ...statement, isForClient: true });
}

function linkView(found: SharedLink, now: number): z.output<typeof link> {
  const { id, title, digest, madeBy, madeAt, expiresAt, revokedAt, opens, openedAt } = found;
  const state = revokedAt !== undefined ? 'revoked' : expiresAt <= now ? 'expired' : 'active';
  const at = (time: number | undefined) => (time === undefined ? undefined : isoOf(time));
  return {
    ...{ share_id: id, title, digest, state, made_at: isoOf(madeAt), expires_at: isoOf(expiresAt), opens },
    ...defined({ made_by: madeBy, revoked_at: at(revokedAt), opened_at: at(openedAt) }),
  };
}
