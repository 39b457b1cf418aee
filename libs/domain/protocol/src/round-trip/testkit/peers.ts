import type { Published } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { knownReleases, releaseNamed } from '../../releases/known-releases.js';
import { latestForm } from '../../versions/release-features.js';
import type { Form, WireProfile } from '../../versions/wire-profile.js';

/** Whoever sends or receives a message: by form, or by a release that is named exactly. */
export type Peer = Form | Published;

const named = (peer: Peer) => knownReleases.find(({ name }) => name === peer);

/** The form of a peer's messages, before what its release adds. */
export function formAt(peer: Peer): Form {
  return isForm(peer) ? peer : latestForm;
}

function isForm(peer: Peer): peer is Form {
  return named(peer) === undefined;
}

export function profileAt(peer: Peer): WireProfile {
  const release = releaseNamed(peer);
  return { dialect: 'adcp', form: formAt(peer), ...(release === undefined ? {} : { release: release.name }) };
}

/** The message, with the release by which its sender asks to be answered. */
export function spokenBy(peer: Peer, message: JsonObject): JsonObject {
  return named(peer) === undefined ? message : { ...message, adcp_version: peer };
}
