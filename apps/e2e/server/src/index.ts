export { buyRequest } from './harness/buy-request.js';
export { ownerUrlOf } from './harness/data-folder.js';
export { prepareFolder } from './harness/instance.js';
export { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
