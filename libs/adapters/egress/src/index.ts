export { createEgress } from './create-egress.js';
export { createTxtLookup } from './txt-lookup.js';
export { takesConnections } from './takes-connections.js';
export { getObject, openObject, listObjects, putObject, removeObject, type Bucket } from './bucket.js';
