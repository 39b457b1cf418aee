export { createSellerTransport, type SellerTransportOptions } from './seller-transports.js';
export { readAnswerBytes, type AnswerInBytes } from './answer-bytes.js';
export { authorizationOf, certificateOf } from './authorization.js';
