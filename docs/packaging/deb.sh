#!/bin/sh
# Makes a Debian package of the program: docs/packaging/deb.sh [FOLDER]; run in the root folder, after cargo build --release.
set -eu
program=target/release/ocellus
folder=${1:-target}
version=$("$program" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
umask 022

install -D -m 755 "$program" "$root/usr/bin/ocellus"
strip --strip-unneeded "$root/usr/bin/ocellus"
mkdir -p "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
    "$root/usr/share/fish/vendor_completions.d" "$root/usr/share/doc/ocellus" "$root/DEBIAN"
"$program" man "$root/usr/share/man/man1"
gzip -9n "$root"/usr/share/man/man1/*
"$program" completions bash > "$root/usr/share/bash-completion/completions/ocellus"
"$program" completions zsh > "$root/usr/share/zsh/vendor-completions/_ocellus"
"$program" completions fish > "$root/usr/share/fish/vendor_completions.d/ocellus.fish"
gzip -9nc CHANGELOG.md > "$root/usr/share/doc/ocellus/changelog.gz"
cat > "$root/usr/share/doc/ocellus/copyright" <<'EOF'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ocellus

Files: *
Copyright: the contributors of Ocellus
License: Apache-2.0
 On Debian systems, the full text of the license is in
 /usr/share/common-licenses/Apache-2.0.
EOF
# The libraries that the program is linked to, with their versions.
mkdir -p "$root.build/debian"
trap 'rm -rf "$root" "$root.build"' EXIT
printf 'Source: ocellus\n\nPackage: ocellus\nArchitecture: any\n' > "$root.build/debian/control"
depends=$(cd "$root.build" && dpkg-shlibdeps -O "$root/usr/bin/ocellus" 2>/dev/null | sed 's/^shlibs:Depends=//')
cat > "$root/DEBIAN/control" <<EOF
Package: ocellus
Version: $version
Architecture: $architecture
Maintainer: the contributors of Ocellus <ocellus@localhost>
Installed-Size: $(du -ks "$root/usr" | cut -f1)
Depends: $depends
Section: database
Priority: optional
Description: embedded analytical database for execution traces
 Ocellus imports traces of parallel programs (Paje, OTF2, DUMPI, Paraver,
 Chrome JSON, Perfetto, CTF and others) into columnar tables and answers
 questions in SQL, with functions made for traces. Results become tables,
 pictures, files, reports and dashboards.
EOF
dpkg-deb --root-owner-group --build "$root" "$folder/ocellus_${version}_${architecture}.deb"
