"""Nights: `hedgerow reconcile` in all weathers, against a sandbox in which a warden judges every write."""
