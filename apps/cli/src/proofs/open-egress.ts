import { createEgress } from '@switchyard/egress';

/** Loaded only where keys are fetched: most commands need no network library. */
export const openEgress = (allowLoopback: boolean): ReturnType<typeof createEgress> =>
  createEgress({ allowLoopback });
