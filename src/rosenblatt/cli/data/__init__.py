"""Files, models and columns as the commands take them."""
