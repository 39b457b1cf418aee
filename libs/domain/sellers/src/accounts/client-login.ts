/**
 * A client's own login at a seller: the secret that is used for this client's reads and buys in place of the connection's
 * (docs/protocol/accounts.md#logins-of-clients). The secret is sealed for the client and the seller, so the pair cannot be
 * put together by whoever can only write to the database.
 */
export interface ClientLogin {
  /** UUID. */
  readonly clientId: string;
  /** UUID of the sealed secret. */
  readonly credentialId: string;
}
