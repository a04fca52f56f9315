"""The Pulumi program of this repository; what it does is told in `reconciler.pulumi`."""

import os
from pathlib import Path

from reconciler.pulumi import run

run(Path(__file__).resolve().parent, os.environ)
