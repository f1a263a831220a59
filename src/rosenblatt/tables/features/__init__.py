"""Feature encoding: columns, records and texts as numbers, by a schema."""
