#!/usr/bin/env bash
# Runs the store's tests, compiled once, on one release of Hadoop after the other.
#
#   scripts/hadoop-matrix.sh [--compiled] [--without-servers] [RELEASE…]     default: every release
#
# With --compiled it leaves the compilation to another process, which may run beside it.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A PROFILES=(
  [3.3.4]=3.3.4
  [3.4.1]=3.4.1,sdk-2
  [3.4.2]=3.4.2,sdk-2,analytics
  [3.4.3]=3.4.3,sdk-2,analytics
  [3.5.0]=3.5.0,sdk-2,analytics
)
TAGS=(--exclude-tag localstack)
compiled=false
if [ "${1:-}" = --compiled ]; then
  compiled=true
  shift
fi
if [ "${1:-}" = --without-servers ]; then
  TAGS+=(--exclude-tag http)
  shift
fi
RELEASES=("$@")
[ $# -gt 0 ] || RELEASES=(3.3.4 3.4.1 3.4.2 3.4.3 3.5.0)
read -ra MVN <<< "${MVN:-mvn -B -ntp}"
OPENED=()
for package in java.lang java.nio java.util; do
  OPENED+=("--add-opens=java.base/$package=ALL-UNNAMED")
done
export REPAVE_PYTHON=${REPAVE_PYTHON:-$PWD/.venv/bin/python}
WORK=$PWD/.work/hadoop-matrix
mkdir -p "$WORK"

counted() { # LOG WHAT: a number of the launcher's summary
  sed -nE "s/^\[ *([0-9]+) tests $2 *\]$/\1/p" "$1"
}

$compiled || "${MVN[@]}" -q -pl committer-java test-compile
failed=()
for release in "${RELEASES[@]}"; do
  if [ -z "${PROFILES[$release]:-}" ]; then
    echo "There is no Hadoop $release in scripts/hadoop-matrix/pom.xml." >&2
    exit 2
  fi
  log=$WORK/$release.log
  paths=$WORK/$release.classpath
  "${MVN[@]}" -q -f scripts/hadoop-matrix/pom.xml -P"${PROFILES[$release]}" \
    dependency:build-classpath -Dmdep.outputFile="$paths"
  sdk=$(grep -oE '(aws-java-sdk-s3|awssdk/s3)/[0-9.]+' "$paths" | head -1)
  if ! java "${OPENED[@]}" -Xmx1g -Djava.net.preferIPv4Stack=true \
    -Drepave.basedir="$PWD/committer-java" \
    -cp "committer-java/target/test-classes:committer-java/target/classes:$(cat "$paths")" \
    org.junit.platform.console.ConsoleLauncher execute --select-package io.repave.s3 \
    --select-class io.repave.hadoop.RepaveFileSystemTest \
    --select-class io.repave.hadoop.RefusedChangeTest \
    --select-class io.repave.hadoop.TableOverS3HttpTest \
    "${TAGS[@]}" --details summary --disable-banner > "$log" 2>&1; then
    failed+=("$release")
    grep -A4 -E '^  JUnit Jupiter' "$log" || tail -20 "$log"
  fi
  echo "Hadoop $release with ${sdk/\// }:" \
    "Tests run: $(counted "$log" started), Failures: $(counted "$log" failed)," \
    "Errors: 0, Skipped: $(counted "$log" aborted)"
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed on Hadoop ${failed[*]}; the logs are in .work/hadoop-matrix/." >&2
  exit 1
fi
