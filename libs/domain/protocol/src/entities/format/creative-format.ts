import type { JsonObject } from '@switchyard/values';
import type { FormatId } from './format-id.js';
import type { Original } from '../../message/original.js';
import type { PageMark } from '../../message/answer.js';
import type { RequestExtras } from '../../message/request-extras.js';

export interface CreativeFormat {
  /** Slug of the seller. Set on every row of an answer merged from several sellers. */
  readonly seller?: string;
  readonly formatId: FormatId;
  readonly name: string;
  readonly type?: string;
  readonly original: Original;
}

export interface ListCreativeFormatsRequest extends RequestExtras {
  readonly formatTypes?: readonly string[];
  readonly formatIds?: readonly FormatId[];
  /** The cursor of the next page, and the page size. */
  readonly cursor?: string;
  readonly pageSize?: number;
  readonly original?: Original;
}

export interface ListCreativeFormatsAnswer {
  readonly formats: readonly CreativeFormat[];
  /** Agents that have more formats, as the seller gives them; each has an `agent_url`. */
  readonly creativeAgents?: readonly JsonObject[];
  readonly page?: PageMark;
}
