"""A provider named gcp that knows one resource: a stand-in for pulumi-resource-gcp, run by the real engine.

What it answers is in `topic`, whom it asks in `pubsub`; here is the protocol (`pulumi.runtime.proto.provider_pb2`).
Properties go through in the clear: the SDK names the secret ones, and the engine keeps them so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any, NoReturn

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from tests.engine.standin import topic
from tests.engine.standin.plugin import serve
from tests.engine.standin.properties import DEFAULTS, plain, struct
from tests.engine.standin.pubsub import PubSub, Refused
from tests.engine.standin.settings import Settings

VERSION = metadata.version("pulumi-gcp")
TYPE = "gcp:pubsub/topic:Topic"

_Kind = provider_pb2.PropertyDiff.Kind


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """Answers the engine, from many threads at once."""

    def __init__(self) -> None:
        self.settings = Settings()

    def Handshake(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.ProviderHandshakeResponse()

    def Attach(self, request: Any, context: Any) -> Any:  # noqa: N802
        return Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version=VERSION)

    def GetSchema(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.GetSchemaResponse(schema=json.dumps({"name": "gcp", "version": VERSION}))

    def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        differ = plain(request.old_inputs) != plain(request.news)
        changes = provider_pb2.DiffResponse.DIFF_SOME if differ else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(changes=changes)

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.settings = Settings.of(plain(request.args))
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._known(request.type, context)
        inputs, failures = topic.check(
            plain(request.news),
            plain(request.olds),
            name=request.name,
            seed=request.randomSeed,
            project=self.settings.project,
        )
        return provider_pb2.CheckResponse(
            inputs=struct(inputs),
            failures=[provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in failures],
        )

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        inputs = plain(request.news)
        found = list(topic.differences(plain(request.olds), inputs))
        replaces = sorted({difference.field for difference in found if difference.replaces})
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if found else provider_pb2.DiffResponse.DIFF_NONE,
            diffs=sorted({difference.field for difference in found}),
            replaces=replaces,
            # The bridge does so where the program chose the name: two topics cannot have the same one.
            deleteBeforeReplace=bool(replaces) and "name" not in inputs.get(DEFAULTS, ()),
            detailedDiff={difference.path: _detail(difference) for difference in found},
            hasDetailedDiff=True,
        )

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        inputs = plain(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(properties=struct(topic.unknown_state(inputs)))
        if "project" not in inputs:
            _fail(context, "project: required field is not set")
        name = f"projects/{inputs['project']}/topics/{inputs['name']}"
        labels = topic.labels_on_create(inputs, self.settings.labels)
        with _telling(context, "Error creating Topic"):
            live = self.api.create(name, topic.body(inputs, labels))
        return provider_pb2.CreateResponse(id=name, properties=struct(topic.state_of(live, inputs, labels)))

    def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        state, inputs = plain(request.properties), plain(request.inputs)
        name = _full(request.id, self.settings.project)
        with _telling(context, f'Error when reading or editing PubsubTopic "{name}"'):
            live = self.api.read(name)
        if live is None:
            return provider_pb2.ReadResponse()
        found = topic.state_of(live, state, state.get("pulumiLabels") or {})
        return provider_pb2.ReadResponse(
            id=name, properties=struct(found), inputs=struct(topic.inputs_of(found, inputs or None))
        )

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        state, inputs = plain(request.olds), plain(request.news)
        if request.preview:
            return provider_pb2.UpdateResponse(properties=struct({**state, **inputs}))
        fields = {difference.field for difference in topic.differences(state, inputs)}
        mask = [field for field in (*topic.REST_FIELDS, "labels") if field in fields]
        labels = topic.labels_on_update(state, inputs)
        sent = {field: value for field, value in topic.body(inputs, labels).items() if field in mask}
        with _telling(context, f'Error updating Topic "{request.id}"'):
            live = self.api.update(request.id, sent, mask)
        known = {**state, **inputs, "labels": inputs.get("labels") or {}, "tags": inputs.get("tags")}
        managed = {**(state.get("pulumiLabels") or {}), **labels}
        return provider_pb2.UpdateResponse(properties=struct(topic.state_of(live, known, managed)))

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        match plain(request.properties).get("deletionPolicy"):
            case "PREVENT":
                # A guess at the text: that the deletion fails is documented.
                _fail(context, f'Error deleting Topic "{request.id}": its deletion_policy is "PREVENT"')
            case "ABANDON":
                return Empty()
        with _telling(context, f'Error deleting Topic "{request.id}"'):
            self.api.delete(request.id)
        return Empty()

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        return Empty()

    @property
    def api(self) -> PubSub:
        """The API that the settings point to."""
        return PubSub(base=self.settings.endpoint, headers=self.settings.headers)

    @staticmethod
    def _known(kind: str, context: Any) -> None:
        if kind != TYPE:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the stand-in knows no resource `{kind}`")


def _detail(difference: topic.Difference) -> Any:
    verb = f"{difference.verb}_replace" if difference.replaces else difference.verb
    return provider_pb2.PropertyDiff(kind=_Kind.Value(verb.upper()))


def _full(identity: str, project: str | None) -> str:
    """The id that an import means: `projects/P/topics/T`, `P/T` or `T`."""
    match identity.split("/"):
        case [name]:
            return f"projects/{project}/topics/{name}"
        case [owner, name]:
            return f"projects/{owner}/topics/{name}"
    return identity


@contextmanager
def _telling(context: Any, doing: str) -> Iterator[None]:
    """Passes a refusal on, with what was being done."""
    try:
        yield
    except (Refused, OSError) as error:
        _fail(context, f"{doing}: {error}")


def _fail(context: Any, message: str) -> NoReturn:
    """Fails in the bridge's form, which is Go's for a list of errors."""
    context.abort(grpc.StatusCode.UNKNOWN, f"1 error occurred:\n\t* {message}\n\n")
    raise AssertionError("abort raises")


def main() -> None:
    """Serves until the engine is done."""
    serve(lambda server: provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(), server))


if __name__ == "__main__":
    main()
