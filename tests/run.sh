#!/bin/sh
# run.sh COMMAND ...: runs tests with their files in memory where there is room for them. They make and sync some hundred
# thousand small files; on a slow or shared disk that takes longer than the tests. What a failed run leaves is kept.
set -u
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${room:-0}" -lt 4000000 ]; then
  exec "$@"
fi
TMPDIR=$(mktemp -d /dev/shm/benchsite-tests.XXXXXX) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"; exit 130' HUP INT TERM
"$@"
code=$?
if [ "$code" -eq 0 ]; then
  rm -rf "$TMPDIR"
else
  echo "what the tests left is in $TMPDIR: remove it when you have read it" >&2
fi
exit "$code"
