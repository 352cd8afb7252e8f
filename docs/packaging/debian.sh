#!/usr/bin/env bash
# Writes a Debian package of a program that is built. Usage: debian.sh target/release/ocellus FOLDER
#
# DEBFULLNAME and DEBEMAIL name the maintainer, as for Debian's own tools. Needs dpkg-dev, binutils and gzip, and no root.
set -euo pipefail

program=$(realpath "${1:?usage: debian.sh PROGRAM FOLDER}")
folder=$(realpath "${2:?usage: debian.sh PROGRAM FOLDER}")
maintainer="${DEBFULLNAME:?set DEBFULLNAME and DEBEMAIL} <${DEBEMAIL:?set DEBFULLNAME and DEBEMAIL}>"
cd "$(dirname "$0")/../.."
version=$("$program" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
# Times within the package: the same bytes for the same commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
umask 022

# The program, stripped: its symbols would be half of the package.
install -D -m 755 "$program" "$root/usr/bin/ocellus"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/ocellus"

# Manual pages and completions, which the program writes itself.
mkdir -p "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" \
    "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
"$program" man "$root/usr/share/man/man1" > "$work/pages"
gzip -9n "$root"/usr/share/man/man1/*.1
"$program" completions bash > "$root/usr/share/bash-completion/completions/ocellus"
"$program" completions zsh > "$root/usr/share/zsh/vendor-completions/_ocellus"
"$program" completions fish > "$root/usr/share/fish/vendor_completions.d/ocellus.fish"

# Documentation, and the licenses of all libraries within the program.
documents=$root/usr/share/doc/ocellus
mkdir -p "$documents"
cargo tree --locked --offline --edges normal --prefix none --format '{p} {l}' | sed 's/ (.*) / /; s/ (\*)$//' | sort -u > "$documents/libraries"
gzip -9n "$documents/libraries"
cat > "$documents/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ocellus

Files: *
Copyright: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y) the authors of Ocellus
License: Apache-2.0
Comment: The program holds libraries under licenses of their own, see libraries.gz beside this file.

License: Apache-2.0
 On Debian systems, the text of the license is in /usr/share/common-licenses/Apache-2.0.
COPYRIGHT
gzip -9n > "$documents/changelog.gz" <<CHANGELOG
ocellus ($version) unstable; urgency=medium

  * Version $version. CHANGELOG.md of the sources lists what changed.

 -- $maintainer  $date
CHANGELOG

# What the program needs of the system.
mkdir -p "$work/debian"
printf 'Source: ocellus\n\nPackage: ocellus\nArchitecture: any\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/ocellus" 2> /dev/null | sed -n 's/^shlibs:Depends=//p')
mkdir -p "$root/DEBIAN"
cat > "$root/DEBIAN/control" <<CONTROL
Package: ocellus
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Section: science
Priority: optional
Description: analytical database for execution traces
 Ocellus imports traces of parallel programs (Paje, OTF2, DUMPI, Paraver, CTF,
 Perfetto, Chrome JSON and others) into columnar tables, and answers questions
 about them in SQL, with functions made for traces: time slices, partitions of
 space and time, wait states and critical paths.
 .
 Results become tables, pictures, files, reports and dashboards; it serves
 PostgreSQL, Flight SQL and HTTP clients, a page for browsers, and tools for
 assistants.
CONTROL
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
package=$folder/ocellus_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package"
