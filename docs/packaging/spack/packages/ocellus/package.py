"""The recipe of Ocellus for Spack."""

import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cargo import CargoPackage
except ImportError:
    # Before Spack 1.0, spack.package has it.
    pass


class Ocellus(CargoPackage):
    """An embedded analytical database for execution traces: SQL with functions made for traces, pictures, reports and
    servers."""

    # The archive of a release holds the sources of all dependencies in vendor/, and the setting by which cargo finds them, so
    # that a site without a network builds it; docs/packaging.md says how it is made. It is put into the current folder or into a mirror of the site.
    manual_download = True
    url = f"file://{os.getcwd()}/ocellus-0.1.0.tar.gz"

    license("Apache-2.0")

    # A release adds the checksum of its archive.
    version("0.1.0")

    variant("server", default=True, description="PostgreSQL, Flight SQL, HTTP and tools for assistants")
    variant("cluster", default=True, description="Queries and imports on several machines")

    depends_on("rust@1.94:", type="build")
    depends_on("c", type="build")

    @property
    def build_args(self):
        """Locked: the versions of Cargo.lock and no others."""
        features = [name for name in ("server", "cluster") if self.spec.satisfies(f"+{name}")]
        args = ["--locked", "--no-default-features", "--features", ",".join(features)]
        if os.path.isdir(join_path(self.stage.source_path, "vendor")):
            args.append("--offline")
        return args

    def setup_build_environment(self, env):
        """Nothing is written to the home of whoever installs it."""
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo-home"))

    def check(self):
        """The installed program answers a question about a trace; `cargo test` would build all of it again."""
        self.answer_question(join_path(self.stage.source_path, "traces", "quickstart.trace"))

    def answer_question(self, trace):
        """Runs a query, and compares its rows."""
        ocellus = Executable(join_path(self.prefix.bin, "ocellus"))
        ocellus.add_default_env("XDG_CACHE_HOME", join_path(self.stage.path, "cache"))
        query = "SELECT count(*) AS ranks FROM containers WHERE name LIKE 'rank-%'"
        found = ocellus("sql", trace, "--format", "csv", query, output=str)
        if found.split() != ["ranks", "4"]:
            raise InstallError(f"ocellus counts other ranks than four: {found}")

    @run_after("install")
    def install_pages(self):
        """Manual pages and completions, which the program writes itself."""
        ocellus = Executable(join_path(self.prefix.bin, "ocellus"))
        mkdirp(self.prefix.share.man.man1)
        ocellus("man", self.prefix.share.man.man1)
        for shell, folder, name in (
            ("bash", join_path(self.prefix.share, "bash-completion", "completions"), "ocellus"),
            ("zsh", join_path(self.prefix.share, "zsh", "site-functions"), "_ocellus"),
            ("fish", join_path(self.prefix.share, "fish", "vendor_completions.d"), "ocellus.fish"),
        ):
            mkdirp(folder)
            with open(join_path(folder, name), "w") as file:
                ocellus("completions", shell, output=file)

    def test_version(self):
        """It starts and says its version."""
        ocellus = which(self.prefix.bin.ocellus)
        assert str(self.spec.version) in ocellus("--version", output=str)
