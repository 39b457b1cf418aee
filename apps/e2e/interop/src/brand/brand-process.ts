import { answerQuestions } from '../child-calls.js';
import { loadSdkSigning } from '../sdk/load-sdk-signing.js';
import { newKeyPair } from '../sdk/new-key-pair.js';

const sdk = await loadSdkSigning();
const pair = newKeyPair();
const keyid = 'brand-2026';
const mark = { kid: keyid, alg: 'EdDSA', use: 'sig', adcp_use: 'request-signing' };
const publicJwk = { ...pair.publicJwk, ...mark, key_ops: ['verify'] };
const privateKey = { ...pair.privateJwk, ...mark, key_ops: ['sign'] };

/** A brand's agent that signs with the public SDK. Its private key never leaves this process. */
answerQuestions({
  open: () => ({ publicJwk }),
  sign: ({ url, body }: { readonly url: string; readonly body: string }) =>
    sdk.signRequest(
      { method: 'POST', url, headers: { 'Content-Type': 'application/json' }, body },
      { keyid, alg: 'ed25519', privateKey },
      { coverContentDigest: true },
    ).headers,
});
