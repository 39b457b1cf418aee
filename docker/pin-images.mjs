/**
 * Asks the registry for the digest of each image that the Dockerfile and compose.yml name, and prints them as lines of
 * docker/.env. A release is built with these: the same names mean other images tomorrow.
 *
 *   node docker/pin-images.mjs >> docker/.env
 *
 * REGISTRY_URL and AUTH_URL name other places than Docker Hub's, for a mirror or a test.
 */
import { readFileSync } from 'node:fs';

const registry = process.env.REGISTRY_URL ?? 'https://registry-1.docker.io';
const auth = process.env.AUTH_URL ?? 'https://auth.docker.io/token?service=registry.docker.io';
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Setting and image, as compose.yml has them: `${POSTGRES_IMAGE:-postgres:18}`. */
const images = new Map(
  [...read('compose.yml').matchAll(/\$\{(\w+_IMAGE):-([^}@]+)\}/g)].map(([, name, image]) => [name, image]),
);
// The product's own image is what is built.
images.delete('SWITCHYARD_IMAGE');
const base = /^ARG BASE=(\S+)/m.exec(read('Dockerfile'))?.[1];
if (base !== images.get('SWITCHYARD_BASE_IMAGE'))
  throw new Error('The Dockerfile and compose.yml name different base images.');

async function digestOf(image) {
  const [name, tag = 'latest'] = image.split(':');
  const repository = name.includes('/') ? name : `library/${name}`;
  const granted = await fetch(`${auth}&scope=repository:${repository}:pull`, {
    signal: AbortSignal.timeout(20_000),
  });
  const { token } = await granted.json();
  const accept =
    'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json';
  const answer = await fetch(`${registry}/v2/${repository}/manifests/${tag}`, {
    method: 'HEAD',
    headers: { accept, authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(20_000),
  });
  const digest = answer.headers.get('docker-content-digest');
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest ?? ''))
    throw new Error(`The registry does not know ${image}: ${answer.status}.`);
  return digest;
}

for (const [name, image] of images) console.log(`${name}=${image}@${await digestOf(image)}`);
