"""Readers: bytes of files and pipes to rows and labels, in bounded memory."""
