import json
from datetime import timedelta
from fractions import Fraction
from importlib.resources import files

import jsonschema_rs
from google.protobuf.duration_pb2 import Duration
from hypothesis import given
from hypothesis import strategies as st

from reconciler.hedging import first_hedge_after, protobuf_duration, refill_units, render, value_problems
from tests.hedging.builders import fleet, ms, profile, published, publisher

VALIDATOR = jsonschema_rs.validator_for(
    json.loads(files("reconciler.hedging").joinpath("publisher-config.schema.json").read_text("utf-8"))
)
DURATIONS = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=1000))
THOUSANDTHS = st.integers(1, 200)


@given(DURATIONS)
def test_protobuf_reads_and_writes_durations_the_same_way(duration: timedelta) -> None:
    parsed = Duration()
    parsed.FromJsonString(protobuf_duration(duration))
    assert parsed.ToTimedelta() == duration
    assert parsed.ToJsonString() == protobuf_duration(duration)


@given(st.integers(100, 10_000), st.integers(1, 250), THOUSANDTHS)
def test_whatever_is_in_range_is_accepted_rendered_and_read_back(delay: int, tokens: int, thousandths: int) -> None:
    accepted = profile(delay=ms(delay), tokens=tokens, ratio=thousandths / 1000)
    assert value_problems(accepted) == ()
    (content,) = render(fleet(publisher(published(hedging=accepted), language="rust"))).values()
    document = json.loads(content)
    VALIDATOR.validate(document)
    (topic,) = document["topics"].values()
    read = topic["hedging"]
    parsed = Duration()
    parsed.FromJsonString(read["hedgeDelay"])
    assert (parsed.ToMilliseconds(), read["maxTokens"], read["refillRatio"]) == (delay, tokens, thousandths / 1000)


@given(st.timedeltas(timedelta(-1), timedelta(1)), st.floats(), st.floats())
def test_a_profile_is_rendered_exactly_if_it_has_no_problem(delay: timedelta, tokens: float, ratio: float) -> None:
    candidate = profile(delay=delay, tokens=tokens, ratio=ratio)
    service = fleet(publisher(published(hedging=candidate), language="rust"))
    try:
        render(service)
        rendered = True
    except ValueError:
        rendered = False
    assert rendered == (value_problems(candidate) == ())


@given(THOUSANDTHS)
def test_the_first_hedge_comes_with_the_first_whole_token(thousandths: int) -> None:
    ratio = thousandths / 1000
    assert refill_units(ratio) == thousandths
    successes = first_hedge_after(ratio)
    assert (successes - 1) * Fraction(thousandths, 1000) < 1 <= successes * Fraction(thousandths, 1000)
