#!/usr/bin/env bash
set -euo pipefail

# Waits twice as long after each failure.
retry() {
    local delay=1
    until "$@"; do
        sleep "$delay"
        delay=$((delay * 2))
    done
}

main() {
    retry curl --fail "$1"
}

main "$@"
