/** The longest time of a relayed call, its stream included, in milliseconds. Recovery handles nothing younger. */
export const relayTimeoutMs = 300_000;
