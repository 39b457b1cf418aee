/** The longest that a relayed call may take, its stream included. Recovery looks at nothing younger than this. */
export const relayTimeoutMs = 300_000;
