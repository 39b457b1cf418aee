export { createEgress } from './create-egress.js';
export { createTxtLookup } from './txt-lookup.js';
