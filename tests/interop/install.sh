#!/bin/sh
# Puts Go and golang.org/x/mod on this machine (Debian's packages), or says loudly that the interop tests will be
# skipped; called by `make go`; quick where both are there.
set -u

modules=/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog
[ -d "$modules" ] && command -v go >/dev/null 2>&1 && exit 0

without() {
	echo "" >&2
	echo "NO GO: $1 tests/interop will $2." >&2
	echo "  To have it: apt-get install golang-go golang-golang-x-mod-dev" >&2
	echo "" >&2
	exit 0
}

command -v apt-get >/dev/null 2>&1 || without "this machine has no apt-get." "be SKIPPED"
[ "$(id -u)" -eq 0 ] || without "only root may install it." "be SKIPPED"

export DEBIAN_FRONTEND=noninteractive
echo "Installing golang-go golang-golang-x-mod-dev"
apt-get update -qq || without "apt-get update failed." "be SKIPPED"
apt-get install -y -qq --no-install-recommends golang-go golang-golang-x-mod-dev >/dev/null ||
	without "apt-get install failed." "be SKIPPED"
