"""Model files: a learner as data that is safe to load and resumes bit for bit; never a pickle."""
