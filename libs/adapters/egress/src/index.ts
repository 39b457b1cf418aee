export { createEgress, type EgressOptions } from './create-egress.js';
export { EgressError } from './failure.js';
export { createTxtLookup, type TxtLookupOptions } from './txt-lookup.js';
export { type ResolveAll } from './pinned-connect.js';
