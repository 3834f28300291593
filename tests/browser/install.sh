#!/bin/sh
# Puts the two browsers the site is tested in on this machine, or says loudly which tests will be skipped.
# Debian's packages chromium and firefox-esr; called by `make browsers`; quick where both are there.
set -u

missing=""
command -v "${BENCHSITE_CHROMIUM:-chromium}" >/dev/null 2>&1 || missing="$missing chromium"
command -v "${BENCHSITE_FIREFOX:-firefox-esr}" >/dev/null 2>&1 || missing="$missing firefox-esr"
[ -n "$missing" ] || exit 0

without() {
	echo "" >&2
	echo "NO BROWSER: $1" >&2
	for name in $missing; do
		case $name in
		chromium) echo "  chromium is missing: tests/browser/test_site.py will $2" >&2 ;;
		firefox-esr) echo "  firefox-esr is missing: tests/browser/test_firefox.py will $2" >&2 ;;
		esac
	done
	echo "  To have them: apt-get install$missing, or name programs in BENCHSITE_CHROMIUM and BENCHSITE_FIREFOX." >&2
	echo "" >&2
	exit 0
}

command -v apt-get >/dev/null 2>&1 || without "this machine has no apt-get." "be SKIPPED"
[ "$(id -u)" -eq 0 ] || without "only root may install them." "be SKIPPED"

export DEBIAN_FRONTEND=noninteractive
echo "Installing$missing"
apt-get update -qq || without "apt-get update failed." "FAIL"
# shellcheck disable=SC2086 # one word a package
apt-get install -y -qq --no-install-recommends $missing >/dev/null || without "apt-get install failed." "FAIL"
