"""Stand-ins for what comes with an ordinary installation of Pulumi and cannot be had as a module.

`language_host` and `program` run Python programs and policy packs for the engine; `provider` is named gcp and knows
one resource, the Pub/Sub topic, which it keeps over REST wherever the real one's endpoint setting points. `topic` holds
what the provider decides, `pubsub` what it asks for. Written from the protocol classes of the SDK
(`pulumi.runtime.proto`) and from the documented behaviour of the real ones: each module says which part is a guess.
"""
