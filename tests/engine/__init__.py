"""Hedgerow on the real Pulumi engine.

The engine, its texts, exit codes and state are real; the language host and the gcp provider are stand-ins
(`standin`), unless a real `pulumi` with its Python host is on the path: then only the provider is one.
"""
