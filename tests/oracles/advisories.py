#!/usr/bin/env python3
"""Which known problems the libraries of Cargo.lock have: python3 tests/oracles/advisories.py ADVISORY-DB [Cargo.lock]

In: a checkout of https://github.com/rustsec/advisory-db, which no other program is needed for. Out: a line per advisory that a
locked version falls under; the exit code is 1 where one of them is a vulnerability that is not in KNOWN.
"""
import glob
import os
import re
import sys
import tomllib

# Who could make use of an advisory that is known and waits for others.
KNOWN = {
    "RUSTSEC-2026-0194": "only object_store uses it, on replies of the object storage that the user has named; it waits for object_store",
    "RUSTSEC-2026-0195": "as RUSTSEC-2026-0194",
}


def version(text):
    """A version that compares as SemVer says: one with a suffix comes before the one without."""
    numbers, _, suffix = text.strip().split("+")[0].partition("-")
    parts = [int(part) for part in numbers.split(".")]
    return tuple(parts + [0] * (3 - len(parts))), (not suffix, suffix)


def next_breaking(text, operator):
    """The first version that `^` or `~` do not allow."""
    (major, minor, patch), _ = version(text)
    given = text.split("-")[0].count(".") + 1
    if operator == "~":
        bound = (major, minor + 1, 0) if given > 1 else (major + 1, 0, 0)
    elif major > 0 or given == 1:
        bound = (major + 1, 0, 0)
    elif minor > 0 or given == 2:
        bound = (0, minor + 1, 0)
    else:
        bound = (0, 0, patch + 1)
    return bound, (False, "")


def fits(found, requirement):
    """Whether a version meets all conditions, such as `>= 1.2, < 2`."""
    for condition in requirement.split(","):
        operator, text = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*(\S+)\s*", condition).groups()
        if text == "*":
            continue
        bound = version(text)
        holds = {
            ">=": found >= bound, "<=": found <= bound, ">": found > bound, "<": found < bound, "=": found == bound,
        }.get(operator)
        if holds is None:
            holds = bound <= found < next_breaking(text, operator)
        if not holds:
            return False
    return True


def advisory(path):
    """The facts of an advisory, which stand in TOML before its text, and its title."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    facts = re.match(r"```toml\n(.*?)```", text, re.DOTALL).group(1)
    return tomllib.loads(facts), re.search(r"^# (.*)", text, re.MULTILINE).group(1)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    here = os.path.dirname(os.path.abspath(__file__))
    lock = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "..", "..", "Cargo.lock")
    with open(lock, "rb") as file:
        packages = tomllib.load(file)["package"]
    looked_at, open_ones = 0, 0
    for package in packages:
        for path in sorted(glob.glob(os.path.join(sys.argv[1], "crates", package["name"], "RUSTSEC-*.md"))):
            facts, title = advisory(path)
            about, versions = facts["advisory"], facts.get("versions", {})
            looked_at += 1
            is_safe = any(fits(version(package["version"]), requirement)
                          for requirement in versions.get("patched", []) + versions.get("unaffected", []))
            if is_safe or "withdrawn" in about:
                continue
            kind = about.get("informational", "vulnerability")
            open_ones += kind == "vulnerability" and about["id"] not in KNOWN
            print(about["id"], package["name"], package["version"], kind, "-", title)
            if about["id"] in KNOWN:
                print("   ", KNOWN[about["id"]])
    print("%d libraries, %d advisories about them" % (len(packages), looked_at))
    sys.exit(1 if open_ones else 0)


if __name__ == "__main__":
    main()
