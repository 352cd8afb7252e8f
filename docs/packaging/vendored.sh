#!/usr/bin/env bash
# Writes the archive of a release: the sources of the last commit, and those of all dependencies in vendor/, so that
# `cargo build --release --locked --offline` needs no network. Usage: vendored.sh FILE.tar.gz
set -euo pipefail

archive=$(realpath -m "${1:?usage: vendored.sh FILE.tar.gz}")
cd "$(dirname "$0")/../.."
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=ocellus-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git archive --prefix="$name/" HEAD | tar -x -C "$work"
cd "$work/$name"
cargo vendor --quiet --locked --versioned-dirs vendor
mkdir -p .cargo
cat > .cargo/config.toml <<CONFIG
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
CONFIG
# The same bytes for the same commit.
date=$(git -C "$OLDPWD" log -1 --format=%ct)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -C "$work" -c "$name" | gzip -n > "$archive"
echo "$archive: $(sha256sum "$archive" | cut -d' ' -f1)"
