#!/usr/bin/env bash
# Builds the server's image twice, as an OCI image without a container engine or a registry, and checks that both have one
# digest; then runs it as its user. The stages after `build` of the Dockerfile are taken as they are. The base here is made
# of the Debian packages of this machine, in place of the published one.
#
#   docker/oci.sh FOLDER NODE     FOLDER: what docker/assemble.mjs made; NODE: the image's Node
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(readlink -f "$1") node=$(readlink -f "$2")
command -v buildah >/dev/null && [ "$(id -u)" = 0 ] || { echo 'not run: 1 build of the OCI image (buildah, as root) are not here'; exit 0; }
work=$(mktemp -d)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
bud=(buildah --root "$work/storage" --runroot "$work/run")
trap '"${bud[@]}" umount --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

# What Node and a shell need, from the packages of this machine. No maintainer script runs, so nothing holds today's date.
base=$work/base
for link in bin sbin lib lib64; do mkdir -p "$base/usr/$link" && ln -s "usr/$link" "$base/$link"; done
for package in base-files base-passwd dash coreutils libc6 libgcc-s1 libstdc++6 libselinux1 libpcre2-8-0 libacl1 libattr1 \
  libgmp10 libssl3 ca-certificates; do
  dpkg-query -L "$package" 2>/dev/null
done | grep -vE '^/(usr/share/(doc|man|locale|lintian|info)|\.$)' | sort -u >"$work/files"
tar --create --no-recursion --files-from "$work/files" --ignore-failed-read 2>/dev/null | tar --extract --keep-directory-symlink -C "$base"
mkdir -p "$base"/{usr/local/bin,etc/ssl/certs,proc,sys,dev,tmp,var/lib}
cp /usr/share/base-passwd/passwd.master "$base/etc/passwd"
cp /usr/share/base-passwd/group.master "$base/etc/group"
cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
cp "$node" "$base/usr/local/bin/node"

# Every file gets one time, so that the day of the build is in no layer.
context=$work/context
mkdir "$context"
cp -r "$folder" "$context/server"
sed '/^FROM .* AS build$/,/^FROM .* AS base$/{/ AS base$/!d}; s#^COPY --from=build --chown=root:root /#COPY --chown=root:root #' \
  docker/Dockerfile >"$context/Dockerfile"
# The Node of this base, and not of the published one.
printf 'FROM scratch\nCOPY . /\n' >"$work/Dockerfile.base"
epoch=$(git log -1 --format=%ct 2>/dev/null || echo 0)
"${bud[@]}" bud --quiet --timestamp "$epoch" --tag localhost/base -f "$work/Dockerfile.base" "$base" >/dev/null
for number in 1 2; do
  # The second one from contents that were put together again. What V8 has compiled differs each time, and is kept.
  if [ $number = 2 ]; then
    rm -rf "$context/server"
    "$node" docker/assemble.mjs "$context/server"
    diff --recursive --brief --exclude '*.compiled' "$folder" "$context/server"
    cp "$folder"/apps/cli/bundle/*.compiled "$context/server/apps/cli/bundle/"
  fi
  "${bud[@]}" bud --quiet --no-cache --timestamp "$epoch" --build-arg BASE=localhost/base --target server \
    --iidfile "$work/id-$number" --tag "localhost/switchyard:$number" -f "$context/Dockerfile" "$context" \
    2>&1 >/dev/null | grep -v 'HEALTHCHECK is not supported' || true
done
cmp "$work/id-1" "$work/id-2" || { echo 'A second build is another image.'; exit 1; }
"${bud[@]}" push --quiet --digestfile "$work/digest" localhost/switchyard:1 "oci:$work/image:latest"
echo "OCI image, $(du -sm "$work/image" | cut -f1) MB packed, built twice to one: $(cat "$work/digest")"

# Its configuration is what the orchestrators read, and it starts with its own Node as its own user.
"${bud[@]}" inspect --type image localhost/switchyard:1 | node -e '
  const { OCIv1: { config } } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const wanted = { User: "7420:7420", Entrypoint: ["switchyard"], WorkingDir: "/switchyard", Cmd: ["up", "--data", "/var/lib/switchyard", "--no-sandbox", "--port", "7420"] };
  const wrong = Object.entries(wanted).filter(([name, value]) => JSON.stringify(config[name]) !== JSON.stringify(value));
  for (const [name] of wrong) console.log(`${name} of the image is ${JSON.stringify(config[name])}.`);
  process.exit(wrong.length === 0 ? 0 : 1);
'
container=$("${bud[@]}" from localhost/switchyard:1)
said=$("${bud[@]}" run "$container" -- sh -c 'id -u; node -p process.versions.node; switchyard --version')
echo "In it, as $(echo "$said" | paste -sd ' ' - | sed 's/ / with Node /; s/ \(\S*\)$/ and version \1/')"
[ "$(echo "$said" | head -1)" = 7420 ] || { echo 'It does not run as its user.'; exit 1; }
