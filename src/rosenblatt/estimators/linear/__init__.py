"""The linear learners, one short file each."""
