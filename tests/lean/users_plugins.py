"""Snakemake sees the plugins that ``aiq[train]`` brings, as for a user, and not all that the tests' environment holds.

Snakemake imports every plugin that is installed, at each start, and so does each job of a cluster. Those of the other
engines bring the clients of Kubernetes and S3 along, .4 core-seconds of 1.3. Tests of these engines set
AIQ_TEST_PLUGINS=all.
"""

import os
import sys

OF_OTHER_ENGINES = {
    "snakemake_executor_plugin_cluster_generic",
    "snakemake_executor_plugin_kubernetes",
    "snakemake_executor_plugin_lsf",
    "snakemake_storage_plugin_s3",
}


def _hide() -> None:
    """Leave them out of the list of packages that Snakemake looks through."""
    import pkgutil

    complete = pkgutil.iter_modules

    def iter_modules(path=None, prefix=""):
        return (module for module in complete(path, prefix) if module.name not in OF_OTHER_ENGINES)

    pkgutil.iter_modules = iter_modules


if os.environ.get("AIQ_TEST_PLUGINS") != "all" and any("snakemake" in word for word in sys.orig_argv[:4]):
    _hide()
