# A recipe for Spack, which sites of high-performance computing install with: copy this folder into a repository as packages/ocellus.

from spack.package import *


class Ocellus(CargoPackage):
    """An embedded analytical database for execution traces of parallel programs, in SQL."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("server", default=True, description="PostgreSQL, Flight SQL and HTTP: ocellus serve")
    variant("cluster", default=True, description="Ballista: ocellus cluster")

    depends_on("c", type="build")
    depends_on("rust@1.94:", type="build")

    @property
    def build_args(self):
        # Locked: the versions that the tests ran with. A site without a network vendors the sources first (cargo vendor).
        features = [name for name in ("server", "cluster") if f"+{name}" in self.spec]
        return ["--locked", "--no-default-features", "--features", ",".join(features), "--bin", "ocellus"]

    @property
    def check_args(self):
        # The tests of clients install packages; those of the engine need nothing.
        return ["--locked", "-p", "ocellus-kernels", "-p", "ocellus-trace"]

    @run_after("install")
    def completions(self):
        ocellus = Executable(join_path(self.prefix.bin, "ocellus"))
        mkdirp(self.prefix.share.man.man1)
        ocellus("man", self.prefix.share.man.man1)

    def test_answer(self):
        """generate a trace and count its states"""
        ocellus = Executable(join_path(self.prefix.bin, "ocellus"))
        ocellus("generate", "mpi", "--events", "1000", "-o", "small.trace")
        answer = ocellus("sql", "small.trace", "SELECT count(*) > 0 AS found FROM states", "--format", "csv", output=str)
        assert "true" in answer
