/** The version of the product. */
export const version = '0.1.0';
