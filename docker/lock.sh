#!/usr/bin/env bash
# Write the lock files of the images, or check that they still follow from their inputs.  Needs uv and a package index.
#
#   docker/lock.sh            after a change of an input: keeps every pin that still fits
#   docker/lock.sh --upgrade  newest versions that fit
#   docker/lock.sh --check    writes nothing; fails, showing the difference, where a lock does not follow
set -euo pipefail
cd "$(dirname "$0")/.."

PLATFORM=x86_64-manylinux_2_28  # glibc 2.28, what the RAPIDS wheels are built for
locks=docker
upgrade=()
case "${1:-}" in
  "") ;;
  --upgrade) upgrade=(--upgrade) ;;
  --check)
    locks=$(mktemp -d)
    trap 'rm -r "$locks"' EXIT
    cp docker/*.lock "$locks"  # uv prefers the pins it finds there
    ;;
  *) echo "docker/lock.sh: unknown argument $1; expected --upgrade or --check" >&2; exit 2 ;;
esac

# lock NAME PYTHON INPUT… : locks/NAME.lock for one Python version, a SHA-256 for every file that may be installed
lock() {
  local name=$1 python=$2
  shift 2
  uv pip compile --quiet "${upgrade[@]}" --python-version "$python" --python-platform "$PLATFORM" --generate-hashes \
    --no-emit-index-url --no-emit-find-links --custom-compile-command docker/lock.sh -o "$locks/$name.lock" "$@"
}

extras=(--extra all --extra remote)
lock cuda-py311 3.11 pyproject.toml docker/cpu.in docker/cuda.in "${extras[@]}" --extra classifier --extra nemo
lock cuda-py312 3.12 pyproject.toml docker/cpu.in docker/cuda.in "${extras[@]}" --extra classifier --extra nemo
# Workers of both images meet on one scheduler: what both hold has one version.
lock cpu 3.12 pyproject.toml docker/cpu.in "${extras[@]}" --constraint docker/cuda-py312.lock
lock models 3.12 requirements-models.txt --no-deps
lock build 3.12 docker/build.in --constraint docker/cuda-py312.lock

if [ "$locks" != docker ]; then
  for each in docker/*.lock; do
    diff -u "$each" "$locks/$(basename "$each")"
  done
  echo "the locks follow from their inputs"
fi
