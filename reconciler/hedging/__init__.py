"""What each client library accepts as publish settings, and the configuration files generated from that.

Pure: fleets and tables come in, values and bytes go out; `reconciler.cli` writes the files. May import
`reconciler.model` and below. Called by `rules` (which turns problems into findings) and `cli`. The shape of the files
is `publisher-config.schema.json`, package data beside this module.
"""

from reconciler.hedging.adapters import ADAPTERS, stack_of
from reconciler.hedging.bucket import first_hedge_after, refill_units
from reconciler.hedging.clients import ClientLibrary, DefaultTimeouts, Evidence, Hedging, Mistake, Release
from reconciler.hedging.difference import Difference, differences, endpoint_region, regions_in
from reconciler.hedging.document import GENERATOR, SCHEMA_ID, endpoint_address, file_names, render, spec_digest
from reconciler.hedging.durations import protobuf_duration, spoken_duration
from reconciler.hedging.known import known_libraries
from reconciler.hedging.libraries import LIBRARIES
from reconciler.hedging.timeouts import Given, Timeout, Timeouts, resolve_timeouts, timeouts_reached
from reconciler.hedging.values import Setting, ValueProblem, value_problems
from reconciler.hedging.versions import Version

__all__ = [
    "ADAPTERS",
    "GENERATOR",
    "LIBRARIES",
    "SCHEMA_ID",
    "ClientLibrary",
    "DefaultTimeouts",
    "Difference",
    "Evidence",
    "Given",
    "Hedging",
    "Mistake",
    "Release",
    "Setting",
    "Timeout",
    "Timeouts",
    "ValueProblem",
    "Version",
    "differences",
    "endpoint_address",
    "endpoint_region",
    "file_names",
    "first_hedge_after",
    "known_libraries",
    "protobuf_duration",
    "refill_units",
    "regions_in",
    "render",
    "resolve_timeouts",
    "spec_digest",
    "spoken_duration",
    "stack_of",
    "timeouts_reached",
    "value_problems",
]
