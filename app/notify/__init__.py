"""Notification: rules decide which channel gets a message about a case; a queue delivers it."""
