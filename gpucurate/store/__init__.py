"""What is kept: atomic artifacts, the manifest that names them, and the lock that guards a directory."""
