export { buyRequest } from './harness/buy-request.js';
export { ownerUrlOf } from './harness/data-folder.js';
export { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
