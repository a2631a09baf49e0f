"""Messaging (短信): channels, templates, and what was sent."""
