"""What several kinds of source share."""
