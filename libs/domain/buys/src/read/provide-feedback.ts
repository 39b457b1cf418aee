import {
  prefixId,
  providePerformanceFeedback as task,
  taskError,
  type PerformanceFeedbackRequest,
  type TaskError,
  profileOf,
} from '@switchyard/protocol';
import { throughLogin, type Connection } from '@switchyard/sellers';
import { ownReach } from '@switchyard/tenancy';
import { defined, err, ok, type Result } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';
import type { NamingPorts } from '../model/creative-library.js';
import { reportedCreatives, projectWithSellerIds } from '../creatives/creatives-at-sellers.js';
import { isOwn, isShown } from '../model/creative-owner.js';
import { draftLeg, type ProjectLeg } from '../call/draft-leg.js';
import { mutate, type LeaseSellers, type Prepared } from '../run/mutate.js';
import type { Mutated } from '../model/mutated.js';
import type { MediaBuyRecord, Operation } from '../model/operation.js';
import { noSuchBuy, findBuy } from '../model/find-buy.js';
import type { BuysPorts } from '../model/ports.js';
import { refreezesOf } from '../call/reencode.js';
import { offersTask } from '../call/offers-task.js';

/** The feedback for one seller, with its own ids. */
interface FeedbackPart {
  readonly connection: Connection;
  readonly mediaBuyId: string;
  readonly packageId?: string;
}

/**
 * Sends performance feedback to the sellers of a buy: to the seller of a named package, to those that have a
 * named creative, else to all that have a part. Ids are translated for each seller.
 */
export function provideFeedback(
  ports: BuysPorts & NamingPorts,
  mutation: Mutation<PerformanceFeedbackRequest>,
): Promise<Result<Mutated, readonly TaskError[]>> {
  // The reference names the buy and not the request, so no key is derived from it.
  const { buyerRef: _namesTheBuy, ...keyed } = mutation.request;
  return mutate(ports, task.name, { ...mutation, request: keyed }, (operation, lease) =>
    prepareFeedback(ports, mutation, operation, lease),
  );
}

async function prepareFeedback(
  ports: BuysPorts & NamingPorts,
  mutation: Mutation<PerformanceFeedbackRequest>,
  operation: Operation,
  lease: LeaseSellers,
): Promise<Result<Prepared, readonly TaskError[]>> {
  const ofBuy = await partsOf(ports, mutation);
  if (!ofBuy.ok) return err([ofBuy.error]);
  const parts = await thoseThatHave(ports, mutation, ofBuy.value);
  if (!parts.ok) return err([parts.error]);
  const connections = parts.value.map((part) => part.connection);
  const secrets = await lease(connections);
  if (!secrets.ok) return secrets;
  const creativeIds = mutation.request.creativeId === undefined ? [] : [mutation.request.creativeId];
  const at = connections.map(({ id }) => id);
  const names = await reportedCreatives(ports.creatives, mutation.scope, at, creativeIds);
  const drafts = parts.value.map(({ connection, mediaBuyId, packageId }) => {
    const project: ProjectLeg = (extras, at) => {
      const { idempotencyKey, context } = extras;
      const { period, performanceIndex, metricType, feedbackSource, creativeId, ext } = mutation.request;
      const feedback = { period, performanceIndex, metricType, feedbackSource, idempotencyKey, context };
      return task.projectRequest(
        {
          ...feedback,
          mediaBuyId,
          ...defined({ packageId, creativeId, ext }),
        },
        profileOf(at),
      );
    };
    const named = projectWithSellerIds(project, names.get(connection.id));
    return draftLeg({ ports, operation, connection, secrets: secrets.value.get(connection.id) }, named);
  });
  const draft = {
    operation,
    legs: drafts.map(({ leg }) => leg),
    registrations: drafts.flatMap((legDraft) =>
      legDraft.registrations.filter(({ kind }) => kind !== 'report'),
    ),
    sellerBuys: [],
    packages: [],
    again: refreezesOf(drafts),
  };
  return ok({ draft, secrets: secrets.value, sellers: connections });
}

async function partsOf(
  ports: BuysPorts,
  { scope, principalId, reach, request }: Mutation<PerformanceFeedbackRequest>,
): Promise<Result<readonly FeedbackPart[], TaskError>> {
  const { mediaBuyId, buyerRef } = request;
  const named = {
    ...(mediaBuyId !== undefined && { mediaBuyId }),
    ...(buyerRef !== undefined && { buyerRef }),
  };
  const record = await findBuy(ports.store, scope, { principalId, ...(reach && { reach }) }, named);
  if (record === undefined) return err(noSuchBuy(named));
  const item = packageOf(record, request.packageId);
  if (request.packageId !== undefined && item === undefined) return err(noPackage);
  const all = new Map((await ports.connections.list(scope)).map((connection) => [connection.id, connection]));
  const parts = record.sellerBuys.flatMap((part): FeedbackPart[] => {
    const connection = all.get(part.connectionId);
    if (connection?.state !== 'live' || part.sellerMediaBuyId === undefined) return [];
    if (item !== undefined && item.seller !== part.seller) return [];
    if (!offersTask(connection, task)) return [];
    const packageId = item?.sellerPackageId;
    return [
      {
        connection: throughLogin(connection, part.login),
        mediaBuyId: part.sellerMediaBuyId,
        ...(packageId === undefined ? {} : { packageId }),
      },
    ];
  });
  return parts.length > 0 ? ok(parts) : err(nobody);
}

/**
 * Feedback on a creative goes to the sellers that have it from this organization. One that is not in the
 * library was sent to its seller in another way, and only the seller knows it.
 */
async function thoseThatHave(
  { creatives }: NamingPorts,
  {
    scope,
    principalId,
    reach = ownReach(principalId),
    request: { creativeId },
  }: Mutation<PerformanceFeedbackRequest>,
  parts: readonly FeedbackPart[],
): Promise<Result<readonly FeedbackPart[], TaskError>> {
  if (creatives === undefined || creativeId === undefined) return ok(parts);
  const library = await creatives.byIds(scope, [creativeId], reach);
  const known = library.get(creativeId);
  if (known === undefined) return ok(parts);
  if (!isShown(known)) return err(noCreative);
  const having = parts.filter(({ connection }) => isOwn(creativeId, connection.id, { library }));
  return having.length > 0 ? ok(having) : err(noCreative);
}

function packageOf({ packages }: MediaBuyRecord, id: string | undefined) {
  return packages.find(
    (item) => item.sellerPackageId !== undefined && prefixId(item.seller, item.sellerPackageId) === id,
  );
}

const noPackage = taskError('PACKAGE_NOT_FOUND', 'The buy has no package with this id.', {
  field: 'package_id',
  suggestion: 'Use the package_id as create_media_buy returned it, with the prefix of its seller.',
});

const noCreative = taskError('CREATIVE_NOT_FOUND', 'No seller of this feedback has this creative.', {
  field: 'creative_id',
  suggestion: 'list_creatives says which sellers have it.',
});

const nobody = taskError('UNSUPPORTED_FEATURE', 'No seller of this buy accepts feedback at the moment.', {
  field: 'media_buy_id',
});
