#!/usr/bin/env bash
# Runs the store's tests, compiled once, on one release of Hadoop after the other.
#
#   scripts/hadoop-matrix.sh [RELEASE…]        default: every release that Repave knows
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A PROFILES=(
  [3.3.4]=3.3.4
  [3.4.1]=3.4.1,sdk-2
  [3.4.2]=3.4.2,sdk-2,analytics
  [3.4.3]=3.4.3,sdk-2,analytics
  [3.5.0]=3.5.0,sdk-2,analytics
)
RELEASES=("$@")
[ $# -gt 0 ] || RELEASES=(3.3.4 3.4.1 3.4.2 3.4.3 3.5.0)
read -ra MVN <<< "${MVN:-mvn -B -ntp}"
CLASSES=committer-java/target/test-classes:committer-java/target/classes
OPENED=(java.lang java.nio java.util)
export REPAVE_PYTHON=${REPAVE_PYTHON:-$PWD/.venv/bin/python}

"${MVN[@]}" -q -pl committer-java test-compile
mkdir -p .work/hadoop-matrix
failed=()
for release in "${RELEASES[@]}"; do
  if [ -z "${PROFILES[$release]:-}" ]; then
    echo "There is no Hadoop $release in scripts/hadoop-matrix/pom.xml." >&2
    exit 2
  fi
  paths=$PWD/.work/hadoop-matrix/$release.classpath
  "${MVN[@]}" -q -f scripts/hadoop-matrix/pom.xml -P"${PROFILES[$release]}" \
    dependency:build-classpath -Dmdep.outputFile="$paths"
  echo "Hadoop $release: $(grep -oE '[^/:]*(hadoop-aws|aws-java-sdk-s3|/s3)-[0-9.]+\.jar' "$paths" | tr '\n' ' ')"
  java $(printf -- '--add-opens=java.base/%s=ALL-UNNAMED ' "${OPENED[@]}") \
    -Xmx1g -Djava.net.preferIPv4Stack=true -Drepave.basedir="$PWD/committer-java" \
    -cp "$CLASSES:$(cat "$paths")" \
    org.junit.platform.console.ConsoleLauncher execute --select-package io.repave.s3 \
    --details summary --disable-banner || failed+=("$release")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed on Hadoop ${failed[*]}." >&2
  exit 1
fi
