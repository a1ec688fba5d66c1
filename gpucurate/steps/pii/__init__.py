"""`pii`: finds personal data and secrets, and keeps, redacts or replaces them, or drops or sets aside the document."""
