#!/bin/sh
# run.sh COMMAND ...: runs tests with their files in memory where there is room for them. They make and sync some hundred
# thousand small files; on a slow or shared disk that takes longer than the tests. What a failed run leaves goes to the disk.
set -u
least=4000000 # kB
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
free=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo 2>/dev/null)
if [ "${room:-0}" -lt "$least" ] || [ "${free:-0}" -lt "$least" ]; then
  exec "$@"
fi
memory=$(mktemp -d /dev/shm/benchsite-tests.XXXXXX) || exec "$@"
# Tests execute files that they write.
printf '#!/bin/sh\n' >"$memory/tried" && chmod +x "$memory/tried"
if ! "$memory/tried" 2>/dev/null; then
  rm -rf "$memory"
  exec "$@"
fi
TMPDIR=$memory "$@" &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' HUP INT TERM
wait "$child"
code=$?
while kill -0 "$child" 2>/dev/null; do # a signal ended the waiting, and the tests are still cleaning up
  wait "$child"
  code=$?
done
if [ "$code" -ne 0 ] && kept=$(mktemp -d); then
  cp -a "$memory/." "$kept" && echo "what the tests left is in $kept" >&2
fi
rm -rf "$memory"
exit "$code"
