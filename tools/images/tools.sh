# Buildah, runc, and a storage of their own that does not outlive the command: sourced by build.sh.

PACKAGES=(buildah runc)
# A build that hangs must not take CI's whole time.
BUILD_LIMIT=10m
TIMED_OUT=124
cache=$PWD/.local/images
work=
child=

fail() {
  echo "$1" >&2
  exit 1
}

# run <command> ...: bash runs a trap only between commands or in `wait`, so that a long command is a child, in a
# session of its own that can be ended as a whole.
run() {
  local status=0
  setsid "$@" &
  child=$!
  wait "$child" || status=$?
  child=
  return "$status"
}

# Makes the folder $work, and removes it with everything in it when this command ends, however it does.
open_work() {
  [ "$(id -u)" = 0 ] || unavailable "root, which mounts file systems,"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/work-XXXXXX")
  mkdir "$work/tmp" "$work/images" "$work/empty"
  set_storage overlay
  trap close_work EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

close_work() {
  trap '' HUP INT TERM
  set +e
  if [ -n "$child" ]; then
    local steps
    steps=$(descendants "$child")
    kill -TERM -- "-$child"
    wait "$child"
    kill -KILL $steps
  fi 2>/dev/null
  local container
  for container in $(containers list --quiet 2>/dev/null); do containers delete --force "$container"; done
  if command -v buildah >/dev/null; then
    storage rm --all >/dev/null 2>&1
  fi
  mounts_in_work | sort --reverse | while read -r mount; do umount --lazy "$mount"; done
  # What is mounted may be the machine's own files.
  [ -z "$(mounts_in_work)" ] || fail "Something is still mounted in $work."
  rm -rf --one-file-system "$work"
}

# descendants <process>: a build step is in a session of its own, and outlives Buildah.
descendants() {
  local one
  for one in $(pgrep --parent "$1"); do
    echo "$one"
    descendants "$one"
  done
}

mounts_in_work() {
  awk -v work="$work/" 'index($2 "/", work) == 1 { print $2 }' /proc/self/mounts
}

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 -o APT::Sandbox::User=root "$@"
}

# Buildah and runc are installed when they are missing.
need_tools() {
  local release
  release=$(. /etc/os-release && echo "$ID $VERSION_ID")
  [ "$release" = "debian 12" ] || unavailable "Debian 12"
  for program in git npm; do command -v "$program" >/dev/null || unavailable "$program"; done
  # Old lists name packages that are no longer there; without any answer, the old ones may do.
  apt_get update >"$work/apt.log" 2>&1 || true
  if ! command -v buildah >/dev/null || ! command -v runc >/dev/null; then
    apt_get install --yes --no-install-recommends "${PACKAGES[@]}" >>"$work/apt.log" 2>&1 || {
      cat "$work/apt.log" >&2
      unavailable "${PACKAGES[*]}"
    }
  fi
  storage info >/dev/null 2>&1 || set_storage vfs
  storage info >/dev/null || unavailable "a storage of images"
}

# set_storage <driver>: overlay takes less time and space; not every file system carries it.
set_storage() {
  buildah=(env TMPDIR="$work/tmp" buildah --root "$work/storage" --runroot "$work/run" --storage-driver "$1")
}

# storage <command of buildah> ...
storage() {
  "${buildah[@]}" "$@"
}

# containers <command of runc> ...
containers() {
  runc --root "$work/images/runc" "$@"
}

# import_base <archive> <name> [<option of buildah config> ...]
import_base() {
  local archive=$1 name=$2 container
  shift 2
  container=$(storage from scratch)
  storage add --quiet "$container" "$archive" / >/dev/null
  storage config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" "$container"
  storage commit --quiet --rm --format docker "$container" "localhost/$name" >/dev/null
}

# Says whether any build works here, so that a later failure is one of the Dockerfile.
try_build() {
  printf 'FROM localhost/build\nRUN node --version && npm view npm version\n' |
    storage build --quiet --isolation chroot --network host --pull=never "${npm_mounts[@]}" --file - "$work/empty" \
      >/dev/null || unavailable "a machine on which a build step runs and reaches npm's registry"
}

# The machine's own way to the npm registry, read-only, and the packages that npm has fetched before: only while a
# build step runs. No image holds them. npm is asked, because its global configuration is elsewhere for each Node;
# certificates may also be given to Node alone.
find_npm_configuration() {
  local name value certificates packages
  value=$(npm config get userconfig)
  [ ! -f "$value" ] || cat "$value" >"$work/npmrc"
  certificates=$(npm config get cafile)
  [ -f "$certificates" ] || certificates=${NODE_EXTRA_CA_CERTS:-}
  packages=$(npm config get cache)
  mkdir -p "$packages"
  {
    echo
    for name in registry proxy https-proxy noproxy; do
      value=$(npm config get "$name")
      [ "$value" = null ] || [ -z "$value" ] || echo "$name=$value"
    done
    [ ! -f "$certificates" ] || echo "cafile=$certificates"
    # A connection that stalls must not take the build's whole time.
    printf '%s\n' cache=/npm-packages prefer-offline=true fetch-timeout=60000
  } >>"$work/npmrc"
  npm_mounts=(--volume "$work/npmrc:/root/.npmrc:ro" --volume "$packages:/npm-packages")
  [ ! -f "$certificates" ] || npm_mounts+=(--volume "$certificates:$certificates:ro")
}

# build_image <service>: as docs/operations/images.md says, except for where the bases and npm's packages come from.
# Later services find the layers up to the installation. npm opens more files at a time than Buildah allows by default.
build_image() {
  local status=0
  run timeout "$BUILD_LIMIT" "${buildah[@]}" build --format docker --isolation chroot --network host --layers --pull=never \
    --build-context "$build_name=container-image://localhost/build" \
    --build-context "$runtime_name=container-image://localhost/runtime" "${npm_mounts[@]}" \
    --ulimit "nofile=$(ulimit -n):$(ulimit -n)" --file "$work/source/docker/Dockerfile" --ignorefile "$work/source/docker/Dockerfile.dockerignore" \
    --build-arg "APP=$1" --tag "localhost/truetally/$1" "$work/source" || status=$?
  [ "$status" != "$TIMED_OUT" ] || unavailable "a machine and a network that build an image within $BUILD_LIMIT"
  return "$status"
}

# open_image <service>: its configuration and its files, in $work/images/<service>.
open_image() {
  local folder=$work/images/$1 container
  mkdir "$folder"
  storage inspect --type image "localhost/truetally/$1" >"$folder/image.json"
  container=$(storage from --pull=never "localhost/truetally/$1")
  ln -s "$(storage mount "$container")" "$folder/root"
}

# Says whether any container runs here.
try_run() {
  local folder=$work/probe container
  mkdir "$folder"
  container=$(storage from --pull=never localhost/build)
  (
    cd "$folder"
    runc spec
    sed -i -e 's/"terminal": true/"terminal": false/' -e 's/"sh"/"true"/' \
      -e "s|\"path\": \"rootfs\"|\"path\": \"$(storage mount "$container")\"|" config.json
  )
  containers run --bundle "$folder" probe </dev/null || unavailable "a machine on which runc runs a container"
}
