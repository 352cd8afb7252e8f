"""The page in a real browser: the tests of tests/page, on a server with small traces, one of them with hostile names."""
import atexit
import os
import sys
import tempfile

from place import ROOT, Server, ocellus

PAGE = os.path.join(ROOT, "tests/page")
MODULES = ("test_pixels", "test_behavior", "test_accessibility")


def serve():
    """The address of a server that runs until this program ends."""
    folder = tempfile.TemporaryDirectory(prefix="ocellus-page-")
    atexit.register(folder.cleanup)
    store, busy = os.path.join(folder.name, "store"), os.path.join(folder.name, "busy.trace")
    ocellus("generate", "mpi", "--events", "20000", "--ranks", "6", "-o", busy)
    samples = [os.path.join(ROOT, "traces", name) for name in ("quickstart.trace", "nested.trace")]
    ocellus("import", *samples, os.path.join(PAGE, "hostile.trace"), busy, "--store", store)
    server = Server(store, protocols=("http",))
    atexit.register(server.__exit__)
    return f"http://127.0.0.1:{server.ports['http']}"


def load_tests(loader, _tests, _pattern):
    # The modules read the address when they are loaded.
    os.environ["OCELLUS_PAGE"] = serve()
    sys.path.insert(0, PAGE)
    return loader.loadTestsFromNames(MODULES)
