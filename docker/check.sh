#!/usr/bin/env bash
# Makes the image's contents by the command of the Dockerfile, measures them, and starts them as the image would: as an
# ordinary user, on a root that cannot be written. No container engine is needed. As root that may mount; else it checks less and says so.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
chmod 755 "$work"
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; wait || true; rm -rf "$work"' EXIT

node docker/check-compose.mjs
node docker/chart/check.mjs

# About what the base image weighs unpacked, in MB, rounded up. It is not fetched here.
base=230
limit=350
# The Node of the image, as npm has it: V8 and the packages are then those that will run. IMAGE_NODE names another program.
image_node=$(sed -n 's/^ARG BASE=node:\([0-9.]*\)-.*/\1/p' docker/Dockerfile)
node=${IMAGE_NODE:-}
if [ -z "$node" ]; then
  package=node-linux-$(node -p process.arch)
  npm install --prefix "$work/node" --no-audit --no-fund --no-save --silent "$package@~$image_node" >"$work/npm.log" 2>&1 || true
  node=$work/node/node_modules/$package/bin/node
fi
if [ ! -x "$node" ]; then
  echo "not run: 1 version of Node ($image_node, the image's; $(node -v) instead) are not here"
  node=$(command -v node)
fi
node=$(readlink -f "$node")
for target in server demo; do
  flags=(); [ "$target" = demo ] && flags=(--demo)
  "$node" docker/assemble.mjs "$work/$target" "${flags[@]}"
  "$node" docker/lazy-packages.mjs "$work/$target"
  size=$(du -sm "$work/$target" | cut -f1)
  echo "$target: $size MB beside a base of $base MB"
  [ $((size + base)) -lt $limit ] || { echo "The image $target is not under $limit MB."; exit 1; }
done
# What it is made of: every component has a version and a licence, and the main ones are there.
node -e '
  const { components } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
  const without = components.filter(({ name, version, licenses }) => !version || (!licenses && name !== "png-js"));
  const names = new Set(components.map(({ name }) => name));
  const missing = ["pg", "fastify", "pdfkit", "react", "zod", "@prisma/client"].filter((name) => !names.has(name));
  console.log(`sbom.json: ${components.length} components`);
  for (const each of without) console.log(`${each.name} has no version or licence.`);
  for (const name of missing) console.log(`${name} is not in sbom.json.`);
  process.exit(without.length + missing.length === 0 && components.length > 150 ? 0 : 1);
' "$work/server/sbom.json"
for package in prisma typescript @prisma/studio-core nx; do
  [ ! -e "$work/server/node_modules/$package" ] || { echo "$package is in the server's image."; exit 1; }
done

# The units of systemd, as far as systemd can judge them without the program.
if command -v systemd-analyze >/dev/null; then
  mkdir "$work/units"
  for unit in docker/systemd/*; do
    sed 's#^ExecStart=.*#ExecStart=/bin/true#; s/^\(User\|Group\)=.*/\1=root/' "$unit" >"$work/units/${unit##*/}"
  done
  said=$(systemd-analyze verify --man=no "$work"/units/* 2>&1) && [ -z "$said" ] || { echo "$said"; exit 1; }
else
  echo 'not run: 3 units of systemd (systemd-analyze) are not here'
fi

# Every package that was installed takes the Node of the image.
node -e '
  const { packages } = JSON.parse(require("fs").readFileSync("package-lock.json", "utf8"));
  const { satisfies } = require("semver");
  const version = process.argv[1] + ".0";
  const against = Object.entries(packages).filter(([, { engines }]) => engines?.node && !satisfies(version, engines.node));
  for (const [name, { engines }] of against) console.log(`${name} wants Node ${engines.node}, and the image has ${version}`);
  process.exit(against.length === 0 ? 0 : 1);
' "$image_node"

docker/oci.sh "$work/server" "$node"

if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
  echo 'not run: 1 check of the image (its start on a read-only root) needs root'
  exit 0
fi

# A root as the container has it: everything read-only but the data and /tmp.
root=$work/root
mkdir -p "$root"/{switchyard,tmp,proc,dev,var/lib/switchyard,node}
touch "$root/node/node"
{ cat /etc/passwd; echo 'switchyard:x:7420:7420::/var/lib/switchyard:/bin/false'; } >"$work/passwd"
chmod -R go+rX "$work"/{server,demo}
mkdir -m 700 "$work"/{demo,server}-data
chown 7420:7420 "$work"/{demo,server}-data

in_image() ( # in_image TARGET COMMAND...: as the user of the image
  exec unshare --mount bash -euc '
    work=$0 target=$1 node=$2 root=$0/root
    shift 2
    mount --bind "$root" "$root"
    for folder in usr lib lib64 bin sbin etc; do
      [ -e "/$folder" ] || continue
      mkdir -p "$root/$folder"
      mount --bind "/$folder" "$root/$folder"
      mount -o remount,bind,ro "$root/$folder"
    done
    mount --bind "$work/passwd" "$root/etc/passwd"
    mount --bind "$node" "$root/node/node"
    mount --bind "$work/$target" "$root/switchyard"
    mount -o remount,bind,ro "$root/switchyard"
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount --bind "$work/$target-data" "$root/var/lib/switchyard"
    mount -o remount,bind,ro "$root"
    # TEST_ENVIRONMENT holds settings, separated by spaces.
    exec chroot --userspec=7420:7420 --groups= "$root" env -i --chdir=/switchyard HOME=/var/lib/switchyard \
      NODE_ENV=production PATH=/node:/usr/bin:/bin NO_COLOR=1 ${TEST_ENVIRONMENT:-} "$@"
  ' "$work" "$@"
)

begin() { # begin TARGET ARGUMENTS...: starts it and waits until it says that it stays up
  local target=$1
  shift
  in_image "$target" "$node" node apps/cli/bin/switchyard.mjs up --data /var/lib/switchyard "$@" \
    >"$work/$target.log" 2>&1 &
  started=$!
  local until=$((SECONDS + 120))
  until grep -q 'It keeps running' "$work/$target.log"; do
    kill -0 "$started" 2>/dev/null && [ $SECONDS -lt $until ] || { cat "$work/$target.log"; exit 1; }
    sleep 0.1
  done
  process=$(sed 's/.*"pid": *\([0-9]*\).*/\1/' "$work/$target-data/instance.json")
  servers+=("$process")
  local user
  user=$(ps -o uid= -p "$process" | tr -d ' ')
  [ "$user" = 7420 ] || { echo "It runs as user $user and not as that of the image."; exit 1; }
}

end() { # end JOB PROCESS: by SIGTERM, as an engine does
  kill -TERM "$2"
  wait "$1" || { echo "It ended with $?."; exit 1; }
}

command_of() { # command_of TARGET ARGUMENTS...: a command of the image, on its data
  local target=$1
  shift
  in_image "$target" "$node" node apps/cli/bin/switchyard.mjs "$@" --data /var/lib/switchyard
}

free_port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => (console.log(s.address().port), s.close()))'; }
oidc=$(free_port)
export TEST_ENVIRONMENT="SWITCHYARD_OIDC_ISSUER=http://127.0.0.1:$oidc SWITCHYARD_OIDC_CLIENT_ID=switchyard"
begin demo --no-campaign --market prompt
demo=($started $process)
unset TEST_ENVIRONMENT
demo_url=$(sed 's/.*"url": *"\([^"]*\)".*/\1/' "$work/demo-data/instance.json")
node docker/try-image.mjs "$demo_url" "$(cat "$work/demo-data/admin.secret")" "$oidc"
# The package for npm, installed in an empty folder: the version and one read, on this Node and on the image's.
packed=$(node tools/pack.mjs "$work/packed")
npm install --prefix "$work/npm" --no-audit --no-fund --silent "$packed"
token=$(command_of demo token 2>/dev/null | grep -o 'sy_[A-Za-z0-9_-]*' | head -1)
for each in "$(command -v node)" "$node"; do
  version=$("$each" "$work/npm/node_modules/.bin/switchyard" --version)
  SWITCHYARD_TOKEN=$token "$each" "$work/npm/node_modules/.bin/switchyard" sellers list --url "$demo_url" | grep '^prompt' >/dev/null ||
    { echo "The package for npm reads no sellers on Node $("$each" -v)."; exit 1; }
  echo "${packed##*/}, $(du -k "$packed" | cut -f1) KB: version $version and a list of sellers on Node $("$each" -v)"
done
command_of demo doctor | tail -1 || { command_of demo doctor; exit 1; }
command_of demo backup --to /var/lib/switchyard/backups | grep '^Backup' || { echo 'The demo made no backup.'; exit 1; }
command_of demo ask 'video for a bike shop' 2>/dev/null | grep '^prompt:' >/dev/null || { echo 'The demo did not answer.'; exit 1; }

# The server beside it, on the database of the demo and with the settings of compose.yml.
port=$(sed -n 4p "$work/demo-data/postgres/pg/postmaster.pid")
install -o 7420 -m 600 "$work/demo-data/postgres/superuser.secret" "$work/server-data/database-password"
export TEST_ENVIRONMENT="DATABASE_URL=postgresql://switchyard@127.0.0.1:$port/postgres DATABASE_PASSWORD_FILE=/var/lib/switchyard/database-password"
TEST_ENVIRONMENT+=' SWITCHYARD_KEYRING_FILE=/var/lib/switchyard/keyring.json SWITCHYARD_HOST=0.0.0.0'
TEST_ENVIRONMENT+=' SWITCHYARD_PUBLIC_URL=https://localhost:7443 SWITCHYARD_TRUSTED_PROXIES=172.30.74.2'
command_of server migrate | grep '^Applied' >/dev/null || { echo 'The server did not migrate.'; exit 1; }
begin server --role http
command_of server sellers list >/dev/null
for one in "$work"/{demo,server}.log; do ! grep -iE 'EROFS|EACCES|read-only' "$one" || exit 1; done
end "$started" "$process"

# The Parquet files of an archive, written and read again by the image.
node docker/try-image.mjs --old-ledger "postgresql://switchyard:$(cat "$work/demo-data/postgres/superuser.secret")@127.0.0.1:$port/postgres"
command_of server ledger archive --before 2024-02 --to /var/lib/switchyard/archive
command_of server ledger verify --archive /var/lib/switchyard/archive
end "${demo[@]}"
echo 'Both images run as an ordinary user on a root that cannot be written.'
