import type { JsonObject } from '@switchyard/values';
import type { Brand } from '../brand/brand.js';
import type { Finding, Incomplete } from '../../losses/finding.js';
import type { Original } from '../../message/original.js';
import type { PageMark } from '../../message/answer.js';
import type { ProductFilters } from './filters.js';
import type { Product } from './product.js';
import type { RequestExtras } from '../../message/request-extras.js';

export interface GetProductsRequest extends RequestExtras {
  readonly brief?: string;
  readonly buyingMode: 'brief' | 'wholesale' | 'refine';
  readonly brand?: Brand;
  readonly filters?: ProductFilters;
  readonly maxResults?: number;
  /** Cursor of the next page; opaque to the caller. */
  readonly cursor?: string;
  /** Refinements of an earlier answer, in the buyer's order, as 3.x writes them. */
  readonly refine?: readonly JsonObject[];
  /** Members of products to show, as 3.x names them. */
  readonly fields?: readonly string[];
  /** Time limit for the seller, in whole seconds. */
  readonly timeBudgetSeconds?: number;
  /** What the caller sent that its `buyingMode` does not use: no seller gets it, and the answer names it once. */
  readonly ignored?: readonly Finding[];
  /** The original arguments: unknown members are sent on between peers of 3.x. */
  readonly original?: Original;
}

export interface GetProductsAnswer {
  readonly products: readonly Product[];
  /** Proposals for products, as 3.x writes them. */
  readonly proposals?: readonly JsonObject[];
  readonly incomplete?: readonly Incomplete[];
  /** The result of each requested refinement, in the order of the request. */
  readonly refinementApplied?: readonly JsonObject[];
  readonly propertyListApplied?: boolean;
  readonly page?: PageMark;
}
