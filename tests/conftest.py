"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# A busy machine must not fail a property for its time, and a build must not fail for its luck.
settings.register_profile("hedgerow", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("hedgerow")
