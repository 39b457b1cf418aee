/**
 * Every fault with which the relay refuses a sealed request, with its HTTP status and message. Signature faults use the
 * verifier's own codes, as a seller does.
 */
export const relayFaults = {
  RELAY_SELLER_NOT_FOUND: { status: 404, message: 'There is no such seller to relay to.' },
  RELAY_DOOR_MISMATCH: { status: 404, message: 'This seller is not reached over that protocol.' },
  RELAY_SELLER_NOT_LIVE: { status: 409, message: 'The connection to this seller is not live.' },
  RELAY_SELLER_STOPPED: {
    status: 409,
    message: 'An emergency stop holds this seller; nothing was sent. Send the request again once it is over.',
  },
  RELAY_SIGNATURE_MISSING: {
    status: 401,
    message: 'A sealed request carries the signature that the seller will verify.',
  },
  RELAY_SELLER_WANTS_OUR_SIGNATURE: {
    status: 409,
    message:
      'This seller wants the signature of the relay as well, and reads one signature only: send the request unsealed and it is signed again.',
  },
  RELAY_HEADER_REPEATED: { status: 400, message: 'A forwarded header occurs more than once.' },
  RELAY_HEADER_SMUGGLED: {
    status: 400,
    message: 'A header tries to reach the seller, or to be read in two ways.',
  },
  RELAY_CONTENT_TYPE: { status: 415, message: 'A sealed request is application/json, without an encoding.' },
  RELAY_BODY_TOO_LARGE: { status: 413, message: 'The body is too large.' },
  RELAY_BODY_MALFORMED: { status: 400, message: 'The body is not one strict JSON-RPC request.' },
  RELAY_METHOD_NOT_ALLOWED: { status: 400, message: 'This JSON-RPC method is not relayed.' },
  RELAY_TASK_UNKNOWN: { status: 400, message: 'The request calls no task that is known here.' },
  RELAY_TASK_NOT_PERMITTED: {
    status: 403,
    message: 'The relay credential does not permit this task.',
  },
  RELAY_BRAND_NOT_COVERED: {
    status: 403,
    message: 'No scope of the relay credential covers a brand that this request names.',
  },
  RELAY_RATE_LIMITED: { status: 429, message: 'There were too many changes: wait before you send the next.' },
  RELAY_CREDENTIAL_UNAVAILABLE: {
    status: 503,
    message: 'Our credential for this seller cannot be used now; nothing was sent.',
  },
  RELAY_BUY_NOT_FOUND: { status: 404, message: 'There is no such media buy of yours.' },
  RELAY_CREATIVE_NOT_FOUND: {
    status: 404,
    message:
      'A request passed on as it was signed can bring and name only creatives of yours that this seller has under your own ids. Over an account that others may use it has new ones under ids of ours: have the account named in the connection, or bring the creative through us unsealed.',
  },
  RELAY_BUYS_NOT_NAMED: {
    status: 403,
    message:
      'A list of all buys is not in your permission, because others buy from this seller under the same credential: give the ids of your media buys, or ask us.',
  },
  RELAY_DELETES_THE_REST: {
    status: 403,
    message:
      'delete_missing takes away whatever the library at the seller holds beside this request, whoever put it there: ask us instead, and it is limited to what is yours.',
  },
  RELAY_SIGNAL_IN_USE: {
    status: 409,
    message:
      'Others use this signal over the same account: ask us instead, and it is taken back for you alone.',
  },
  RELAY_SPEND_UNKNOWN: {
    status: 422,
    message: 'The amount that this request commits is unknown, and the delegation has a budget.',
  },
  CREDENTIAL_IN_ARGS: { status: 400, message: 'The body holds a credential or trust material.' },
  RELAY_SELF_ASSERTION: {
    status: 400,
    message:
      'An argument asserts who is calling. The signature says that, and brand and operator say for whom: leave it out.',
  },
  DELEGATION_MISSING: { status: 403, message: 'There is no delegation for this seller.' },
  DELEGATION_REVOKED: { status: 403, message: 'The delegation was revoked.' },
  DELEGATION_EXPIRED: { status: 403, message: 'The delegation has expired.' },
  DELEGATION_TASK_NOT_ALLOWED: { status: 403, message: 'The delegation does not cover this task.' },
  DELEGATION_CURRENCY_MISMATCH: { status: 403, message: 'The delegation is in another currency.' },
  DELEGATION_BUDGET_EXCEEDED: { status: 403, message: 'The delegation does not have this much budget left.' },
  SPENDING_LIMIT_EXCEEDED: {
    status: 403,
    message:
      'This goes beyond a spending limit of the organization: ask for less, send it unsealed where an approval may be waited for, or have the limit raised.',
  },
  RELAY_OUTCOME_UNKNOWN: {
    status: 409,
    message:
      'The same request was passed on before and what became of it is not known: it is not sent again. Ask the seller what it has.',
  },
  RELAY_SESSION_LOST: {
    status: 503,
    message: 'The seller has forgotten its session with us: sign the request afresh and send it again.',
  },
  RELAY_SELLER_UNREACHABLE: { status: 502, message: 'The seller could not be reached; nothing was sent.' },
  RELAY_ANSWER_WITHHELD: {
    status: 502,
    message:
      'The seller took the request, and its answer held our own credential there: it is not passed on. Ask us what came of it.',
  },
  RELAY_ANSWER_LOST: {
    status: 502,
    message: 'The request was passed on and no answer came back: whether the seller acted is not known.',
  },
} as const;

export type RelayFaultCode = keyof typeof relayFaults;
