"""The commands of ``rosenblatt tag``, and the code that they share."""
