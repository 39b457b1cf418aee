export { signRequest, type RequestToSign, type SignatureHeaders } from './sign.js';
export { generateSigningKey, publicJwk, type SigningKey } from './jwk.js';
export { contentDigestOf } from './content-digest.js';
export { canonicalTarget, type CanonicalTarget } from './canonical-url.js';
export { isSignatureAlgorithm, type SignatureAlgorithm } from './algorithm.js';
