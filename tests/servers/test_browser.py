"""The page in a real browser: the tests of tests/page, on a server with small traces, one of them with hostile names.

In: OCELLUS_PAGE_FOLDER, where it is set, is a folder whose page is tried instead of the one in the program, and
OCELLUS_PAGE_TESTS a list of modules, with commas between them, that are run instead of all.
"""
import atexit
import os
import sys
import tempfile

from place import ROOT, Server, ocellus

PAGE = os.path.join(ROOT, "tests/page")


def serve():
    """The address of a server that runs until this program ends."""
    folder = tempfile.TemporaryDirectory(prefix="ocellus-page-")
    atexit.register(folder.cleanup)
    store = os.path.join(folder.name, "store")
    busy, busier, flat = (os.path.join(folder.name, f"{name}.trace") for name in ("busy", "busier", "flat"))
    ocellus("generate", "mpi", "--events", "20000", "--ranks", "6", "-o", busy)
    ocellus("generate", "mpi", "--events", "18000", "--ranks", "6", "--seed", "7", "-o", busier)
    ocellus("generate", "perturbation", "--processes", "8", "--disturbed", "3", "-o", flat)
    samples = [os.path.join(ROOT, "traces", name) for name in ("quickstart.trace", "nested.trace", "variables.trace", "slow_worker.trace")]
    ocellus("import", *samples, os.path.join(PAGE, "hostile.trace"), busy, busier, flat, "--store", store)
    page = os.environ.get("OCELLUS_PAGE_FOLDER")
    server = Server(store, *(("--page", page) if page else ()), protocols=("http",))
    atexit.register(server.__exit__)
    return f"http://127.0.0.1:{server.ports['http']}"


def load_tests(loader, _tests, _pattern):
    # The modules read the address when they are loaded.
    os.environ["OCELLUS_PAGE"] = serve()
    sys.path.insert(0, PAGE)
    chosen = os.environ.get("OCELLUS_PAGE_TESTS")
    modules = sorted(os.path.splitext(name)[0] for name in os.listdir(PAGE) if name.startswith("test_"))
    return loader.loadTestsFromNames(chosen.split(",") if chosen else modules)
