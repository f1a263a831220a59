"""The pictures of ``rosenblatt plot``: their kinds, how each is drawn, and their files."""
