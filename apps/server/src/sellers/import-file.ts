import { siteOfUrl, readFindInput } from '@switchyard/sellers';
import { defined, err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { itemJob } from '../platform/jobs/item-job.js';
import { secretOf } from '../platform/routes/fields.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import type { FoundSellerDraft } from './gate/add-found-seller.js';
import type { GateView } from './gate/gate-view.js';
import type { SluggedSeller } from './read-seller-file.js';

/** One seller of a file, as it waits in its job. Each item is sealed, so that its token is. */
const fileItem = z.strictObject({
  slug: z.string(),
  input: z.string(),
  protocol: z.enum(['mcp', 'a2a']).exactOptional(),
  token: z.string().exactOptional(),
  token_scheme: z.enum(['bearer', 'basic']).exactOptional(),
  account: z.string().exactOptional(),
});

/** The items of a job that adds sellers of a file. */
export function itemsOf(sellers: readonly SluggedSeller[]): readonly z.output<typeof fileItem>[] {
  return sellers
    .filter(({ isKnown }) => !isKnown)
    .map(({ slug, seller: { input, protocol, token, tokenScheme, account } }) => ({
      slug,
      input,
      ...defined({ protocol, token, token_scheme: tokenScheme, account }),
    }));
}

export interface FileImportDeps {
  readonly addFound: (
    caller: PrincipalCaller,
    draft: FoundSellerDraft,
  ) => Promise<Result<GateView, AdminFailure>>;
}

/** Adds the sellers of a file like `sellers add`, each by itself: those that are not live after it are drafts. */
export const fileImport = itemJob<FileImportDeps>()({
  name: 'import_seller_file',
  title: 'Import of a file of sellers',
  needs: 'sellers.write',
  waitsFor: 'sellers',
  item: fileItem,
  nameOf: ({ slug }) => slug,
  groupOf: ({ input }) => {
    const place = readFindInput(input);
    return place.ok ? siteOfUrl(place.value.url) : input;
  },
  atOnce: 8,
  run: async ({ addFound }, caller, { slug, input, protocol, token, token_scheme: tokenScheme, account }) => {
    const secret = token === undefined ? undefined : secretOf(token);
    const added = await addFound(caller, {
      slug,
      input,
      goesByRule: true,
      ...defined({ protocol, tokenScheme }),
      ...(secret === undefined ? {} : { token: secret }),
      ...(account === undefined ? {} : { account: { accountId: account } }),
    });
    secret?.wipe();
    if (!added.ok) return err({ code: added.error.code, message: added.error.message });
    const { state, checks } = added.value;
    const open = checks.find((check) => check.state !== 'passed' && check.state !== 'skipped');
    if (state === 'live') return ok(undefined);
    const next = open?.next === undefined ? '' : ` ${open.next}`;
    return err({ code: open?.code ?? 'NOT_LIVE', message: `${open?.words ?? 'It did not go live.'}${next}` });
  },
});
