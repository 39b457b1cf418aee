export { createSellerTransport, type SellerTransportOptions } from './seller-transports.js';
