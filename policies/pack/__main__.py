"""The policy pack of this repository; what it does is told in `reconciler.pulumi.pack`."""

from pathlib import Path

from reconciler.pulumi.pack import serve

serve(Path(__file__).resolve().parent)
