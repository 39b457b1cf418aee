import type { JsonObject } from '@switchyard/values';
import type { DeploymentTarget } from './deployment.js';
import type { Incomplete } from '../../losses/finding.js';
import type { Original } from '../../message/original.js';
import type { PageMark } from '../../message/answer.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { Signal } from './signal.js';

export interface GetSignalsRequest extends RequestExtras {
  readonly signalSpec: string;
  readonly destinations: readonly DeploymentTarget[];
  readonly countries: readonly string[];
  readonly filters?: {
    readonly catalogTypes?: readonly string[];
    readonly dataProviders?: readonly string[];
    readonly maxCpm?: string;
    readonly minCoveragePercentage?: number;
    /** Maximum share of the media's price, in percent; 3.x only. */
    readonly maxPercent?: number;
  };
  readonly maxResults?: number;
  /** Cursor of the next page, and the page size. */
  readonly cursor?: string;
  readonly pageSize?: number;
  readonly discoveryMode?: string;
  /** Members of signals to show, as 3.1 names them. */
  readonly fields?: readonly string[];
  /** Signals requested by id, as 3.x writes them. */
  readonly signalIds?: readonly JsonObject[];
  readonly signalRefs?: readonly JsonObject[];
  readonly original?: Original;
}

export interface GetSignalsAnswer {
  readonly signals: readonly Signal[];
  readonly incomplete?: readonly Incomplete[];
  readonly page?: PageMark;
}
