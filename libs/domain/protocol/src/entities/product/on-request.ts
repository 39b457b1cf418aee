/** The price of a product of whose prices the caller's release has none. */
export const onRequest = { pricing_option_id: 'on_request', pricing_model: 'cpm', currency: 'USD' } as const;
