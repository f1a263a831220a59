"""The pictures of ``rosenblatt plot``: where they come from, where they go."""
