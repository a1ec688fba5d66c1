#!/usr/bin/env bash
# The install steps of the images, runnable anywhere: docker/check.sh runs them in a bare virtual environment.
# Every package comes from a lock and is checked against its SHA-256.  Run with the interpreter PYTHON (python3).
#
#   docker/install.sh dependencies TARGET ENVIRONMENT   a new environment with what gpucurate needs; TARGET: cpu, cuda
#   docker/install.sh models ENVIRONMENT                the packages that carry models
#   docker/install.sh package ENVIRONMENT               gpucurate itself, from the sources beside this folder
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

locked() {  # environment, lock: no resolving, no build environments of pip's own
  "$1/bin/python" -m pip install --quiet --no-cache-dir --require-hashes --no-deps --no-build-isolation -r "$2"
}

case "${1:-}" in
  dependencies)
    target=$2 environment=$3 python=${PYTHON:-python3}
    version=$("$python" -c 'import sys; print("%d%d" % sys.version_info[:2])')
    case "$target" in
      cpu) lock=$here/cpu.lock ;;
      cuda) lock=$here/cuda-py$version.lock ;;
      *) echo "docker/install.sh: unknown target $target; expected cpu or cuda" >&2; exit 2 ;;
    esac
    [ -f "$lock" ] || { echo "docker/install.sh: no lock for $target on Python $version ($lock)" >&2; exit 2; }
    "$python" -m venv "$environment"
    locked "$environment" "$here/build.lock"
    locked "$environment" "$lock"
    install -D -m 644 "$lock" "$environment/share/gpucurate.lock"  # what `gpucurate doctor` compares with
    ;;
  models)
    locked "$2" "$here/models.lock"
    ;;
  package)
    "$2/bin/python" -m pip install --quiet --no-cache-dir --no-deps --no-build-isolation "$here/.."
    ;;
  *)
    echo "docker/install.sh: unknown step ${1:-}; expected dependencies, models or package" >&2
    exit 2
    ;;
esac
