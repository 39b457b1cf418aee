import { servedBy } from '../served-by.js';
import { err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { keyFaults, missing } from '../../../message/require.js';
import { objectAt, objectsAt, textAt } from '../../../message/pick.js';
import { anyObject } from '../../../message/shapes.js';
import { notCarried } from '../../../losses/lost-members.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { criteriaRenamed, criteriaShape, discoveryOf, flightIn } from './criteria.js';
import { incompleteOf, listedForMs, listingKey } from './list-products.js';
import { around, findingsOf, isFailed, submittedIn } from './ours.js';
import { compactProducts } from './product.js';
import { proposalsIn } from './proposals.js';
import { brandOf, searchEnvelopeOf, noted, notedFindings, readArgs, inputOf } from './request.js';

const shape = {
  brief: z.string().max(20_000).optional(),
  criteria: criteriaShape.optional(),
  opportunity: anyObject.optional(),
};

const needed = ['brief'];

export const requestProposals: LifecycleTask = {
  name: 'request_proposals',
  servedBy: servedBy.request_proposals,
  inputSchema: inputOf(shape, ['idempotency_key', ...needed]),
  renamed: criteriaRenamed,
  isRepeatable: true,
  recalls: () => [],

  serve(args) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const faults = [...keyFaults(args, '3.1'), ...missing(args, needed)];
    if (faults.length > 0) return err(faults);
    const criteria = objectAt(args, 'criteria');
    const { members, productIds, findings } = discoveryOf(criteria);
    const brand = brandOf(args);
    const notes = {
      ...brand,
      flight: flightIn(criteria),
      product_ids: productIds === undefined ? undefined : [...productIds],
    };
    const lost = args['opportunity'] === undefined ? [] : [notCarried('opportunity')];
    return ok({
      args: {
        ...searchEnvelopeOf(args),
        ...brand,
        ...members,
        buying_mode: 'brief',
        brief: args['brief'] ?? '',
        ...noted('request_proposals', notes, [...findings, ...lost]),
      },
    });
  },

  answer(body, asked, { at, operationId }) {
    const open = submittedIn(body);
    if (open !== undefined) return { body: open };
    if (isFailed(body)) return { body };
    const lost = new Set<string>();
    const wanted = asked['product_ids'];
    const products = compactProducts(body, lost).filter(
      (product) => !Array.isArray(wanted) || wanted.includes(product['product_id'] ?? null),
    );
    // The prices of all products hold for its proposals, also of those that the criteria do not name.
    const made = proposalsIn({ ...body, proposals: draftsOf(body) }, compactProducts(body, lost), {
      asked,
      at,
    });
    const ours = around(body, [...notedFindings(asked), ...made.findings, ...findingsOf(lost)]);
    if (made.proposals.length > 0)
      return {
        body: {
          status: 'completed',
          outcome: 'proposed',
          proposals: [...made.proposals],
          products,
          ...incompleteOf(body, [...scopes, 'products', 'pricing', 'wholesale_feed']),
          ...ours,
        },
        kept: made.kept,
      };
    const buyable = products.filter((product) => objectsAt(product, 'pricing_options').length > 0);
    if (buyable.length === 0 || operationId === undefined)
      return { body: { status: 'completed', outcome: 'rejected', reason: nothingOffered, ...ours } };
    return {
      body: {
        status: 'completed',
        outcome: 'products_available',
        products: buyable,
        ...incompleteOf(body, scopes),
        purchase_continuation: {
          kind: 'listed_purchase',
          product_ids: buyable.map((product) => product['product_id'] ?? ''),
          cache_scope: 'account',
          feed_version: operationId,
        },
        ...ours,
      },
      kept: [{ key: listingKey(operationId), value: { products: listed(buyable) }, until: at + listedForMs }],
    };
  },
};

const scopes = ['forecast', 'proposals'];
const nothingOffered = 'No seller offered anything for this brief that has a price.';

/** A first answer holds drafts alone: a seller that offers more is asked to finalize it like any other. */
function draftsOf(body: JsonObject): JsonObject[] {
  return objectsAt(body, 'proposals').map((proposal) => ({ ...proposal, proposal_status: 'draft' }));
}

function listed(products: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(
    products.map((product) => [
      textAt(product, 'product_id') ?? '',
      [...objectsAt(product, 'pricing_options')],
    ]),
  );
}
