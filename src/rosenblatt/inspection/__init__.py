"""What a model did and why: explanations, recorded runs, reports and checks of data."""
