"""What the step `pii` found, for reading before and after it changes anything: the logic of `gpucurate pii audit`."""
