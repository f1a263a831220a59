"""What every command shares: options, messages, output on a terminal."""
