export { createEgress } from './create-egress.js';
export { createTxtLookup } from './txt-lookup.js';
export { takesConnections } from './takes-connections.js';
export { putObject, type Bucket } from './put-object.js';
