import { isSignatureAlgorithm } from '../algorithm.js';
import { isKnownComponent } from '../covered-values.js';
import { readSignature, signaturePresence } from './read-signature.js';
import { fault, shown, type Notes, type Step, type StepFault } from './verify-step.js';

/** Steps 1 to 6: checks that need only the headers. */
export const headerSteps: readonly Step[] = [
  { number: '1', name: 'headers parse', check: parse },
  { number: '2', name: 'parameters are complete', check: completeParameters },
  { number: '3', name: 'tag', check: checkTag },
  { number: '4', name: 'algorithm', check: checkAlgorithm },
  { number: '5', name: 'time window', check: checkWindow },
  { number: '6', name: 'covered components', check: checkComponents },
];

function parse(notes: Notes): string | StepFault {
  const presence = signaturePresence(notes.message.headers);
  if (presence === 'none') return fault('required', 'no signature');
  if (presence === 'one') return fault('header_malformed', 'one of the two signature headers');
  const read = readSignature(notes.message, notes.profile.binary);
  if (!read.ok) return fault('header_malformed', read.error);
  notes.components = read.value.components;
  notes.fields = read.value.fields;
  notes.paramsText = read.value.list.text;
  notes.params = read.value.list.params;
  notes.signature = read.value.signature;
  notes.digest = read.value.digest;
  return 'label sig1';
}

const required = ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'] as const;

function completeParameters(notes: Notes): string | StepFault {
  const missing = required.filter((name) => !notes.params.has(name));
  if (missing.length > 0) return fault('params_incomplete', `missing: ${missing.join(', ')}`);
  const value = (name: (typeof required)[number]): unknown => notes.params.get(name)?.value;
  notes.created = Number(value('created'));
  notes.expires = Number(value('expires'));
  notes.nonce = String(value('nonce'));
  notes.keyid = String(value('keyid'));
  notes.algName = String(value('alg'));
  notes.tag = String(value('tag'));
  if (notes.keyid === '') return fault('params_incomplete', 'an empty keyid');
  if (!isNonce(notes.nonce)) return fault('params_incomplete', 'a nonce that is not 16 bytes of base64url');
  return `keyid ${shown(notes.keyid)}`;
}

/** At least 16 bytes of base64url without padding, and at most 256 characters, because a store keeps it. */
function isNonce(nonce: string): boolean {
  return /^[A-Za-z0-9_-]{22,256}$/.test(nonce) && nonce.length % 4 !== 1;
}

function checkTag(notes: Notes): string | StepFault {
  return notes.tag === notes.profile.tag ? notes.tag : fault('tag_invalid', shown(notes.tag));
}

function checkAlgorithm(notes: Notes): string | StepFault | Promise<string | StepFault> {
  const name = notes.algName;
  if (!isSignatureAlgorithm(name)) return fault('alg_not_allowed', shown(name));
  notes.alg = name;
  if (notes.profile.algorithms.includes(name)) return name;
  return name === 'rsa-pss-sha512' && notes.profile.kind === 'request'
    ? checkRegisteredForRsa(notes)
    : fault('alg_not_allowed', name);
}

/** RSA-PSS is off by default. It is allowed only for request signers that are registered with it. */
async function checkRegisteredForRsa(notes: Notes): Promise<string | StepFault> {
  const isRegistered = (await notes.ports.keys.allowsRsaPss?.(notes.keyid)) === true;
  return isRegistered
    ? `${notes.alg}, as registered`
    : fault('alg_not_allowed', `${notes.alg}, not registered`);
}

function checkWindow(notes: Notes): string | StepFault {
  const { created, expires, profile } = notes;
  const now = Math.floor(notes.at / 1000);
  const seen = `created ${created - now} s, expires ${expires - now} s from now`;
  const isWrong =
    expires <= created ||
    created > now + profile.skew ||
    expires < now - profile.skew ||
    expires - created > profile.maxWindow;
  return isWrong ? fault('window_invalid', seen) : seen;
}

function checkComponents(notes: Notes): string | StepFault {
  const { components, profile } = notes;
  const seen = shown(components.join(' '));
  const wanted = ['@method', '@target-uri', '@authority'];
  const hasBody = notes.message.body.length > 0 || profile.kind === 'webhook';
  if (hasBody) wanted.push('content-type');
  if (hasBody && profile.contentDigest === 'required') wanted.push('content-digest');
  const missing = wanted.filter((name) => !components.includes(name));
  if (missing.length > 0) return fault('components_incomplete', `missing: ${missing.join(', ')}`);
  if (profile.contentDigest === 'forbidden' && components.includes('content-digest')) {
    return fault('components_unexpected', 'content-digest');
  }
  const unknown = components.find((name) => !isKnownComponent(name));
  if (unknown !== undefined) return fault('components_unexpected', shown(unknown));
  const absent = components.find((name) => !name.startsWith('@') && !notes.fields.has(name));
  if (absent !== undefined) return fault('components_incomplete', `covered but absent: ${shown(absent)}`);
  return seen;
}
