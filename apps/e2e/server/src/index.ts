export { buyRequest } from './harness/buy-request.js';
export { ownerUrlOf } from './harness/data-folder.js';
export { oauthSeller, type OAuthSeller } from './harness/oauth-seller.js';
export { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
