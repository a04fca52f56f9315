"""What a Pulumi preview says would happen to Pub/Sub topics, what of it is refused, and how it agrees with a plan.

Pure, and knows of Pulumi only the JSON that its command line prints: works without `pulumi`, on any program's topics.
May import `reconcile` and below. Called by `report` and `cli`.
"""

from reconciler.preview.adoption import Adoption, FieldChange, PulumiState, adoptions, import_file, read_state
from reconciler.preview.agreement import Cause, Difference, differences
from reconciler.preview.guard import Allowance, Fate, Loss, Refused, losses, refused
from reconciler.preview.lived import Observed, observed
from reconciler.preview.reading import read_preview
from reconciler.preview.steps import TOPIC_TYPE, Preview, Resource, Step
from reconciler.preview.unreadable import UnreadablePreview

__all__ = [
    "TOPIC_TYPE",
    "Adoption",
    "Allowance",
    "Cause",
    "Difference",
    "Fate",
    "FieldChange",
    "Loss",
    "Observed",
    "Preview",
    "PulumiState",
    "Refused",
    "Resource",
    "Step",
    "UnreadablePreview",
    "adoptions",
    "differences",
    "import_file",
    "losses",
    "observed",
    "read_preview",
    "read_state",
    "refused",
]
