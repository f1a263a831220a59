"""The commands of ``rosenblatt tag``, and what they share."""
