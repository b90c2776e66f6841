"""What every Python process that a test starts imports at its start."""

import users_plugins  # noqa: F401
