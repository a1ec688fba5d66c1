"""What every room shares: Arrow schemas, identities, reason codes, digests, tallies, errors.

Nothing here reads or writes files, and nothing here knows a step, a source or a device.
"""
