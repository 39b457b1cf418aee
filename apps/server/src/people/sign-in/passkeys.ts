import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FactorRepository, PasskeyRecord, TenantScope } from '@switchyard/tenancy';
import { err, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { Steps } from './steps.js';

/** How long a challenge is valid, in milliseconds. */
const challengeMs = 5 * 60_000;

/** The most passkeys of one person. */
export const passkeysAtMost = 20;

/** A person who signs in or is signed in. */
export interface Person extends TenantScope {
  readonly principalId: string;
}

/** The options for a browser's authenticator, and the id that its answer names. */
interface PasskeyChallenge {
  readonly challenge_id: string;
  readonly options: JsonObject;
}

/** `no_name`: this installation has an IP address without a name, where browsers offer no passkeys. */
export type PasskeyRefusal = 'no_name' | 'wrong' | 'taken' | 'too_many';

/** Sign-in with an authenticator (WebAuthn), instead of a password or after it. */
export interface Passkeys {
  challengeToRegister(person: Person, name: string): Promise<Result<PasskeyChallenge, PasskeyRefusal>>;
  register(
    person: Person,
    given: { readonly challengeId: string; readonly response: JsonObject; readonly name: string },
  ): Promise<Result<PasskeyRecord, PasskeyRefusal>>;
  /** For any person, or, after a password, for one person. */
  challengeToSignIn(person?: Person): Promise<Result<PasskeyChallenge, PasskeyRefusal>>;
  /**
   * The person whose authenticator answered. Instead of a password, it must have verified the person, by a finger or a
   * PIN; after a password, presence is enough.
   */
  check(
    given: { readonly challengeId: string; readonly response: JsonObject },
    after?: Person,
  ): Promise<Person | undefined>;
  remove(person: Person, id: string): Promise<boolean>;
}

interface PasskeysDeps {
  readonly repository: FactorRepository;
  readonly steps: Steps;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The public address, without a trailing slash. Known once we listen. */
  readonly url: () => string;
}

/** Loaded at the first use of a passkey. */
const webauthn = () => import('@simplewebauthn/server');

export function createPasskeys({ repository, steps, clock, newId, url }: PasskeysDeps): Passkeys {
  const allowed = (passkeys: readonly PasskeyRecord[]) =>
    passkeys.map(({ credentialId: id, transports }) => ({ id, transports: [...transports] as never[] }));
  const started = async (options: { readonly challenge: string }, about: JsonObject) => {
    const { challenge } = options;
    const step = await steps.start('PasskeyChallenge', { ...about, challenge }, challengeMs);
    return ok({ challenge_id: step.text, options: options });
  };
  return {
    challengeToRegister: async (person, name) => {
      const place = placeOf(url());
      if (place === undefined) return err('no_name');
      const { passkeys } = await repository.of(person, person.principalId);
      if (passkeys.length >= passkeysAtMost) return err('too_many');
      const { generateRegistrationOptions } = await webauthn();
      const options = await generateRegistrationOptions({
        rpName: 'Switchyard',
        rpID: place.id,
        userName: name,
        userID: new Uint8Array(Buffer.from(person.principalId, 'utf8')),
        attestationType: 'none',
        excludeCredentials: allowed(passkeys),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      });
      return started(options, { purpose: 'register', principalId: person.principalId });
    },
    register: async (person, { challengeId, response, name }) => {
      const place = placeOf(url());
      if (place === undefined) return err('no_name');
      const about = await steps.take('PasskeyChallenge', challengeId);
      if (about?.['purpose'] !== 'register' || about['principalId'] !== person.principalId)
        return err('wrong');
      const { verifyRegistrationResponse } = await webauthn();
      const verified = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge: about['challenge'] as string,
        expectedOrigin: place.origin,
        expectedRPID: place.id,
        requireUserVerification: false,
      }).catch(() => undefined);
      if (verified?.verified !== true) return err('wrong');
      const { credential } = verified.registrationInfo;
      const record = {
        id: newId(),
        credentialId: credential.id,
        transports: credential.transports ?? [],
        name,
        createdAt: clock.now(),
      };
      const made = {
        ...record,
        principalId: person.principalId,
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
      };
      return (await repository.addPasskey(person, made)) ? ok(record) : err('taken');
    },
    challengeToSignIn: async (person) => {
      const place = placeOf(url());
      if (place === undefined) return err('no_name');
      const known = person && (await repository.of(person, person.principalId)).passkeys;
      const { generateAuthenticationOptions } = await webauthn();
      const options = await generateAuthenticationOptions({
        rpID: place.id,
        userVerification: person === undefined ? 'required' : 'preferred',
        ...(known && { allowCredentials: allowed(known) }),
      });
      return started(options, { purpose: 'sign_in', principalId: person?.principalId ?? '' });
    },
    check: async ({ challengeId, response }, after) => {
      const place = placeOf(url());
      const about = await steps.take('PasskeyChallenge', challengeId);
      if (place === undefined || about?.['purpose'] !== 'sign_in') return undefined;
      if (about['principalId'] !== (after?.principalId ?? '')) return undefined;
      const holder = await repository.passkey(response['id'] as string);
      if (holder === undefined || (after !== undefined && holder.principalId !== after.principalId))
        return undefined;
      const { verifyAuthenticationResponse } = await webauthn();
      const verified = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge: about['challenge'] as string,
        expectedOrigin: place.origin,
        expectedRPID: place.id,
        credential: {
          id: response['id'] as string,
          publicKey: new Uint8Array(holder.publicKey),
          counter: holder.counter,
        },
        requireUserVerification: after === undefined,
      }).catch(() => undefined);
      if (verified?.verified !== true) return undefined;
      await repository.usedPasskey(holder, holder.id, verified.authenticationInfo.newCounter, clock.now());
      return { organizationId: holder.organizationId, principalId: holder.principalId };
    },
    remove: (person, id) => repository.removePasskey(person, person.principalId, id),
  };
}

/**
 * Our identity for browsers: the host name and the origin of our pages. Passkeys belong to a name, never to an IP
 * address; on loopback the name is `localhost`.
 */
export function placeOf(url: string): { readonly id: string; readonly origin: string } | undefined {
  const { hostname, protocol, port } = new URL(url);
  const isHere = hostname === '127.0.0.1' || hostname === '[::1]';
  if (!isHere && (isIP(hostname) !== 0 || hostname.startsWith('['))) return undefined;
  const id = isHere ? 'localhost' : hostname;
  return { id, origin: `${protocol}//${id}${port === '' ? '' : `:${port}`}` };
}
