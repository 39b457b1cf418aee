import type { Deployment } from './deployment.js';
import type { Original } from './original.js';

export interface Signal {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  /** The seller's address, for forms that want a source named where the seller named none. */
  readonly agentUrl?: string;
  readonly segmentId: string;
  readonly name: string;
  readonly description: string;
  readonly catalogType: string;
  readonly dataProvider: string;
  readonly coveragePercentage?: number;
  readonly deployments: readonly Deployment[];
  /** What it costs per mille, by the first of its prices. */
  readonly pricing?: { readonly cpm: string; readonly currency: string };
  readonly original: Original;
}
