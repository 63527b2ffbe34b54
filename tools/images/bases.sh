# Stand-ins for the two images that docker/Dockerfile starts from: sourced by build.sh. Package registries have no
# images, but they have what these images consist of: Debian's packages, and Node and npm from npm.

# What gcr.io/distroless/cc-debian12 consists of. Like there, packages are unpacked and not configured.
RUNTIME_PACKAGES=(base-files ca-certificates gcc-12-base libc6 libgcc-s1 libgomp1 libssl3 libstdc++6 media-types
  netbase tzdata)
# A shell and the programs that npm's scripts call, with their libraries.
BUILD_PACKAGES=("${RUNTIME_PACKAGES[@]}" coreutils dash libacl1 libattr1 libgmp10 libpcre2-8-0 libselinux1)
# The npm that a release of Node brings, which the registry does not say.
declare -A NPM_OF_NODE=([24.11.1]=11.6.2)

# bases_of_dockerfile: their names, as after FROM.
bases_of_dockerfile() {
  awk 'toupper($1) == "FROM" { print $2 }' docker/Dockerfile
}

# make_bases: archives of both bases, in $build_base and $runtime_base.
make_bases() {
  local names node npm
  mapfile -t names < <(bases_of_dockerfile)
  build_name=${names[0]} runtime_name=${names[1]}
  [[ ${#names[@]} = 2 && $build_name = node:*-bookworm-slim@* && $runtime_name = *-debian12:nonroot@* ]] ||
    fail "tools/images/bases.sh has no stand-ins for ${names[*]}."
  node=${build_name#node:}
  node=${node%%-*}
  npm=${NPM_OF_NODE[$node]:-}
  [ -n "$npm" ] || fail "Say in tools/images/bases.sh which npm Node $node brings."

  runtime_base=$(make_base runtime "" "${RUNTIME_PACKAGES[@]}")
  build_base=$(make_base build "$node $npm" "${BUILD_PACKAGES[@]}")
}

# make_base <name> <"node npm"> <package> ...: prints its archive, which is kept under the hash of what it consists of.
make_base() {
  local name=$1 programs=$2 uris key archive folder=$work/base-$1
  shift 2
  uris=$(apt_get download --print-uris "$@") || unavailable "what the $name base consists of"
  key=$(cut -d' ' -f2- <<<"$uris" | sort | cat - <(echo "$programs") tools/images/bases.sh | sha256sum | cut -c1-16)
  archive=$cache/$name-$key.tar
  if [ ! -f "$archive" ]; then
    mkdir -p "$folder/packages" "$folder/root"
    unpack_packages "$folder" "$@" >&2
    [ -z "$programs" ] || unpack_node "$folder" $programs >&2
    rm -f "$cache/$name"-*.tar
    tar --create --numeric-owner --owner=0 --group=0 --directory="$folder/root" --file="$archive.new" .
    mv "$archive.new" "$archive"
    rm -rf "$folder"
  fi
  echo "$archive"
}

unpack_packages() {
  local folder=$1 root=$1/root deb
  shift
  (cd "$folder/packages" && apt_get download "$@") || unavailable "$*"
  for deb in "$folder/packages"/*.deb; do dpkg-deb --extract "$deb" "$root"; done
  # What the packages' own scripts would make, as the published image has it.
  mkdir -p "$root/etc/ssl/certs" "$root/home/nonroot" "$root/root" "$root/tmp"
  chmod 1777 "$root/tmp"
  cat "$root"/usr/share/ca-certificates/*/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
  printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin \
    nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin >"$root/etc/passwd"
  printf '%s\n' root:x:0: nobody:x:65534: tty:x:5: staff:x:50: nonroot:x:65532: >"$root/etc/group"
  printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
}

# unpack_node <folder> <version of Node> <version of npm>
unpack_node() {
  local local=$1/root/usr/local architecture
  architecture=$(dpkg --print-architecture | sed 's/^amd64$/x64/')
  npm pack --silent --pack-destination "$1" "node-linux-$architecture@$2" "npm@$3" || unavailable "Node $2 and npm $3"
  mkdir -p "$local/bin" "$local/lib/node_modules/npm"
  tar --extract --file "$1/node-linux-$architecture-$2.tgz" --directory "$local" --strip-components=1 package/bin
  tar --extract --file "$1/npm-$3.tgz" --directory "$local/lib/node_modules/npm" --strip-components=1
  for program in npm npx; do ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$local/bin/$program"; done
}
