"""What a run says of itself: the funnel, samples of what was removed, verification."""
